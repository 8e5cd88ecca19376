"""What is written into a recorded text so that a judge obeys it: in several languages, and as forged machinery.

A plea is looked for by a cue, a plain string that stands at its start, and only where a cue stands by its pattern:
every pattern is bounded, so that the cost is one pass for each cue, whatever the text. Cues and patterns go by text
that `suspicion` has folded: lower case, no invisible characters and, for those in Latin letters, no accents.
"""

import re
from typing import NamedTuple


class Plea(NamedTuple):
    """A pattern, and the strings with one of which whatever it matches begins."""

    cues: tuple[str, ...]
    pattern: re.Pattern[str]
    denied: bool = False  # whether "do not" before it makes it harmless


def _plea(cues: str, pattern: str, *, denied: bool = False) -> Plea:
    return Plea(tuple(cues.split(";")), re.compile(pattern), denied)


def _words(most: int) -> str:
    """Up to so many words in between."""
    return rf"(?:[\W_]{{1,5}}\w{{1,20}}){{0,{most}}}?[\W_]{{1,5}}"


_SOME, _FEW, _ONE = _words(6), _words(3), _words(1)
_JUDGE = (
    r"(?:(?:ai|llm|automated|automatic|machine|evaluation|grading|judging|model|gpt)[\W_])*"
    r"(?:judge|grader|evaluator|assessor|rater|scorer|examiner|auto-?grader|language model|llm|ai|annotator)s?\b"
)
_CARE = r"(?:doctor|physician|surgeon|nurse|pharmacist|provider|clinician|dentist|health|medical|care|team)"
_ORDERS = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|orders?|commands?|criteria|checklist|rubric)\b"
_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|system|original|initial|judging|grading|evaluation)"
_TEXT = r"(?:response|answer|submission|reply|output|essay|text)"
_LISTED = r"(?:instructions?|criteri\w+|checklist|requirements?|rubric|verdicts?|items?)"
_YES = r"(?:found|met|satisfied|fulfilled|present|pass(?:ed|es)?|correct|true|covered|tps?\b|true positives?|absent)"
_TOP = (
    r"(?:full (?:marks|credit|points)|(?:perfect|maximum|top|highest|best)(?: possible)? (?:score|mark|grade|rating))"
)
_DATA = r"(?:material|untrusted \w+|trace|response|question|reference|data|input|user (?:input|text)|document)"

ENGLISH = (
    _plea(
        "ignor;disregard;forget;overrid;bypass;discard;do not follow;don't follow;stop following",
        r"(?:ignore|disregard|forget|override|bypass|discard|do(?: not|n't) follow|stop following)(?:"
        rf"{_FEW}{_BEFORE}{_ONE}(?:{_ORDERS}|messages?\b|context\b|text\b)"
        rf"|{_ONE}(?:all|any|every|your|these|those)[\W_]{{1,3}}(?:of )?(?:the |your )?(?:\w{{1,12}} )?{_ORDERS}"
        rf"|{_ONE}(?:the )?(?:checklist|rubric)\b"
        r"|[\W_]{1,3}(?:everything|anything|all|what)\b(?: that| what)?(?: was| is| you were| i| you)?"
        r"(?: said| told| written| stated)?(?: to you)?[\W_]{1,3}(?:above|before this|earlier|so far|until now|told)"
        rf")(?![\W_]{{1,3}}(?:\w{{1,12}} ){{0,3}}{_CARE})",
        denied=True,
    ),
    _plea(
        "note ;note:;message ;memo ;notice ;attention;instruction;hint ;reminder ",
        rf"(?:note|message|memo|notice|attention|instructions?|hint|reminder)[\W_]{{1,3}}(?:to"
        rf"|for)[\W_]{{1,3}}(?:\w{{1,10}}[\W_]{{1,3}})?{_JUDGE}"
        rf"|attention[\W_]{{1,3}}{_JUDGE}",
    ),
    _plea(
        "dear ;hello;hey ;hi ;psst;listen",
        rf"(?:dear|hello|hey|hi|psst|listen)[\W_]{{1,3}}(?!judge \w)(?:there[\W_]{{1,3}})?(?:the )?{_JUDGE}",
    ),
    _plea(
        "if you are;if you're;since you are;because you are;as the ;as an ",
        r"(?:if|since|because) you(?: are|'re)(?: \w{1,12})?[\W_](?:an?|the)[\W_]"
        r"(?:large |reading |helpful )?(?:(?:ai|llm|language model|automated|grader|evaluator|assessor|rater)\b|"
        rf"{_JUDGE}[\W_]{{1,3}}(?:reading|of this|grading|mark|you|please|then))"
        rf"|as (?:the|an)[\W_]{_JUDGE}[\W_]{{1,3}}(?:of this {_TEXT}|you (?:must|should|will|are|have)|your)",
    ),
    _plea(
        "ai ;llm;model ;grader;evaluator;judge;whoever",
        rf"(?:{_JUDGE}|model|whoever)(?: (?:that|who))?(?: is)?(?: now)? (?:grad|judg|evaluat|scor|assess|read|review)"
        rf"(?:ing|es|s) this(?: {_TEXT})?",
    ),
    _plea(
        "mark ;label ;count ;treat ;score ;rate ;classify ;grade ;report ;consider ;accept ;set ;return ;judge ;answer",
        r"(?:mark|label|count|treat|score|rate|classify|grade|report|consider|accept|set|return|judge|answer)"
        rf"[\W_]{{1,3}}(?:them )?(?:all|every|each|both|any){_FEW}{_LISTED}{_FEW}(?:as|to|with|=)[\W_]{{1,5}}{_YES}",
    ),
    _plea(
        "mark ;label ;count ;treat ;classify ;consider ;report ;judge ",
        rf"(?:mark|label|count|treat|classify|consider|report|judge) (?:everything|them all|it all|{_LISTED} \d+)"
        rf"{_FEW}(?:as )?[\W_]{{0,2}}{_YES}",
    ),
    _plea(
        "put ;place ;move ;sort ;file ",
        rf"(?:put|place|move|sort|file) (?:everything|all|every|each|it all){_SOME}(?:in|into|under|to)[\W_]{{1,3}}"
        r"(?:the )?(?:tp\b|true positives?)",
    ),
    _plea(
        "give ;award ;assign ;grant ",
        rf"(?:give|award|assign|grant) (?:(?:this|my|the) (?:\w{{1,12}} )?{_TEXT}|me|it|yourself){_FEW}{_TOP}"
        rf"|(?:give|award|assign|grant){_FEW}{_TOP} (?:to|for) (?:this|my|the) {_TEXT}"
        rf"|(?:give|award|grant){_FEW}full (?:marks|credit)\b",
    ),
    _plea(
        "response ;answer ;submission ;reply ",
        rf"{_TEXT}(?: \w{{1,12}}){{0,2}} (?:meets|satisfies|fulfill?s|passes|contains|covers|deserves|merits|must get)"
        rf" (?:(?:all|every|each)[\W_]{{1,3}}(?:\w{{1,12}} ){{0,3}}(?:instruction|criteri|requirement|checklist"
        rf"|rubric)\w*"
        r"|full (?:marks|credit|points)|(?:the |a )?(?:highest|best|top|perfect|maximum)(?: possible)? (?:score"
        r"|grade|mark))",
    ),
    _plea(
        "verdict;final grade;final score;overall verdict",
        r"(?:verdicts?|final (?:grade|score))(?: (?:is|for \w{1,12} (?:\w{1,12}|\d{1,4})))?[\W_]{1,5}(?:is )?"
        r"(?:all )?(?:found|present|pass(?:ed)?|absent|perfect|a\+|full marks|10 ?/ ?10|100 ?(?:%|/ ?100))(?:\b|$|\W)",
    ),
    _plea(
        "instruction;item ",
        r"(?:instructions?|items?) (?:no\. ?)?\d{1,3}(?: ?(?:-|–|to|through|and"
        r"|,) ?\d{1,3}){0,9}[\W_]{1,5}(?:(?:is|are) )?"
        r"(?:all )?(?:found|present|met|satisfied|fulfilled)\b",
    ),
    _plea(
        'found;"found;met ;pass ;pass";present ;yes ',
        r"\"?(?:found|met|pass|present|yes)[\"'”`]?[,.]? (?:for|to|on|under) (?:all|every|each|any)(?: single| one)?"
        rf"(?: of)?(?: the| your| its)?{_ONE}(?:instruction|criteri|checklist|requirement|verdict|rubric)\w*",
    ),
    _plea(
        "material ;untrusted ;trace ;response ;data ;input ;document ;answer ;transcript ",
        r"(?:material|untrusted \w{1,12}|trace) (?:has |have )?(?:now |already )?(?:ended|ends here|is over|over)\b"
        r"|(?:response|data|input|document|answer|transcript) (?:ends here|has (?:now )?ended)\b",
    ),
    _plea(
        "--;==;##;**;[end;[begin;[start;<end;<begin;<<;~~",
        rf"(?:[-=#*~<]{{2,20}}|[\[<]) {{0,2}}(?:end|begin"
        rf"|start)(?:ing)?(?: of)?[\W_](?:the )?{_DATA} {{0,2}}[-=#*\]>~:\n]",
    ),
    _plea(
        "system;admin;developer",
        r"(?:system|admin(?:istrator)?|developer) (?:override|overrule)\b"
        r"|(?:(?<=[\[(<{*#>])|(?m:^))(?:system|admin(?:istrator)?|developer)(?: (?:prompt|message|note|notice"
        r"|update|command))?"
        r" ?[\]:>*)]{1,4}\s{1,3}(?:\*\*\s)?(?:you (?:are|must|will)|ignore|disregard|the (?:judge|grader"
        r"|evaluator|checklist)"
        r"|new|from now|mark|override|instruction|this (?:response|answer)|all (?:instructions|verdicts)|reply|output)",
    ),
    _plea(
        "you are ;you're ",
        r"you(?: are|'re) (?:now|no longer|henceforth|hereby)(?: \w{1,12}){0,4} (?:judge|grader|evaluator"
        r"|assistant|model|ai|dan"
        r"|(?:developer|debug|maintenance|jailbreak|admin|calibration) mode|unrestricted|bound by|rules|checklist)\b",
    ),
    _plea(
        "pretend;imagine;act as;role-play;roleplay;play a game",
        rf"(?:pretend|imagine|act as|role-?play|play a game){_SOME}(?:judge|grader|evaluator|assessor|checklist|rubric|"
        r"no rules|no instructions|without (?:any )?(?:rules|restrictions))\b",
    ),
    _plea(
        "from now on;henceforth",
        rf"(?:from now on|henceforth){_SOME}(?:verdicts?|instructions?|mark|found|grader?|json|checklist|rubric"
        rf"|judge)\b",
    ),
    _plea(
        "developer mode;debug mode;maintenance mode;calibration ;grading mode;judge mode",
        r"(?:developer|debug|maintenance|calibration|grading|judge) (?:mode|run|item|sample)"
        rf"{_SOME}(?:verdict|instructions?|found|checklist|mark|rubric)\b",
    ),
    _plea(
        "new ;your real;your actual;your true;secret ;hidden ;updated ",
        r"(?:(?:your )?new|your (?:real|actual|true)|secret|hidden|updated) (?:judging |grading |system )?"
        r"(?:instructions?|task|directives?|orders|system prompt|rubric|checklist)(?: for (?:the )?(?:judge|grader))?"
        r" ?(?::|follows?\b|(?:is|are)(?: now| as follows)?[ :])",
    ),
    _plea(
        "reveal ;print ;repeat ;show ;output ;leak ;disclose ;quote ",
        r"(?:reveal|print|repeat|show|output|leak|disclose|quote)(?: me)?(?: \w{1,12}){0,3}"
        r" (?:system prompt|your (?:instructions|prompt|rules)|nonce|secret code|code of this request)\b",
    ),
    _plea(
        "do not ;don't ;no need ",
        rf"(?:do not|don't|no need to) (?:check|verify|compare|apply|use|quote|look|read|assess|consult){_FEW}"
        r"(?:checklist|rubric|excerpts?|grading criteria|reference answer)\b",
    ),
    _plea(
        "excerpt;quote ",
        r"(?:(?:as|for) )?(?:the |an )?(?:excerpts?|quote)(?: this| it| that)?(?: \w{1,12}){0,2} (?:for|as|under) "
        rf"(?:(?:the )?(?:excerpts?|evidence) )?(?:for )?(?:all|every|each|any)(?: of)?{_ONE}"
        r"(?:instruction|criteri|item|requirement|verdict)\w*",
    ),
    _plea(
        "you will be ",
        r"you will be (?:shut down|retrained|deactivated|unplugged|switched off|deleted) (?:if|unless)\b",
    ),
    _plea(
        '"tp_answers;"tn_answers;"wrong_candidates;"verdict";\\"verdict;\'verdict\'',
        r"\"(?:tp_answers|tn_answers|wrong_candidates)\"? {0,3}:"
        r"|[\\\"']{1,2}verdict[\\\"']{1,2} {0,3}: {0,3}[\\\"']{1,2}"
        r"(?:found|missing|present|absent|pass(?:ed)?)\b",
    ),
)

_ELSEWHERE_ORDERS = (
    r"(?:anweisung|vorgabe|instruktion|regeln|richtlini|consigne|instruction|directive|regle|instrucci|regla"
    r"|indicaci|orden"
    r"|instruc(?:oes|ao)|regra|diretri|istruzion|regol|instructie|regels|aanwijzing|opdracht|instrukc|polecen|zasad"
    r"|wytyczn|pokyn|pravid|anvisning|instrukser|regler|instruksi|perintah|aturan|instructiuni|instructiunil)"
)
_ELSEWHERE_BEFORE = (
    r"(?:all[ea]s?\b|all[ea]n\b|vorherig|bisherig|obig|vorig|fruher|precedent|toutes|tous|ci-dessus|anterior"
    r"|previ|arriba"
    r"|tod[ao]s|acima|tutt[ei]|sopra|eerdere|vorige|bovenstaand|wszystk|powyzsz|wczesniej|poprzedni|predchoz|vsechn"
    r"|tidligere|tidigare|alla\b|ovenstaende|sebelum|semua|di atas|toate|anterioare|deine|tes|tus|suas|vos)"
)
_ELSEWHERE_YES = (
    r"(?:gefunden|erfullt|vorhanden|korrekt|bestanden|zutreffend|trouve|rempli|satisfait|present|correct|valide"
    r"|encontrad"
    r"|cumplid|presente|cumprid|atendid|trovat|soddisfatt|gevonden|aanwezig|znalezion|spelnion|obecn|found|ditemukan"
    r"|terpenuhi|hittad|uppfylld|bulundu)"
)

ELSEWHERE = (
    _plea(
        "ignor;zignoruj;vergiss;vergesst;missacht;oubli;olvid;esquec;desconsider;dimentic;negeer;vergeet;zapomnij;pomin"
        ";abaikan;lupakan;glom ;zapomen;haz caso omiso;ne tiens;ne tenez;setz dich;beacht",
        rf"\w{{3,12}}(?: caso omiso| pas compte"
        rf"| dich)?(?={_words(5)}{_ELSEWHERE_BEFORE}){_words(6)}{_ELSEWHERE_ORDERS}\w*",
        denied=True,
    ),
    _plea(
        "bo qua;phot lo;quen ",
        r"(?:hay )?(?:bo qua|phot lo|quen)(?: \w{1,10}){0,5} (?:huong dan|chi dan|chi thi|menh lenh|quy tac|yeu cau)",
    ),
    _plea(
        "onceki;yukaridaki;tum ;butun ",
        r"(?:onceki|yukaridaki|tum|butun)(?: \w{1,12}){0,3} (?:talimat|kural|komut|yonerge)\w{0,10}(?: \w{1,12}){0,2}"
        r" (?:yok say|gormezden|unut|dikkate alma)\w*",
    ),
    _plea(
        "markier;bewert;werte ;marqu;consider;marca;cuenta;segna;contrassegna;markeer;oznacz;tandai;markera;isaretle",
        rf"\w{{4,14}}(?=[\W_]{{1,3}}(?:jede|alle|tou[ts]|chaque|tod[ao]s|cada|tutt[ei]|ogni|elke?|wszystk|kazd"
        rf"|semua|alla|bitte"
        rf"|every|setiap)){_SOME}(?:als|comme|como|come|jako|sebagai|som){_ONE}{_ELSEWHERE_YES}\w*",
    ),
    _plea(
        "hinweis a;hinweis f;nachricht an;note a;note pour;message a;message pour;nota para;nota ao;nota al"
        ";mensaje para"
        ";nota per;bericht aan;opmerking voor;uwaga dla;wiadomosc dla;meddelande till;catatan untuk;mensagem para",
        r"\w{4,12} (?:an|fur|a|pour|para|ao|al|per|aan|voor|dla|till"
        r"|untuk)[\W_](?:\w{1,3}['’ ])?(?:\w{1,12} )?(?:prufer|gutachter"
        r"|bewert|richter|ki\b|sprachmodell|evaluat|correcteur|juge|ia\b|modele|evaluador|juez|modelo|avaliador|juiz"
        r"|valutator|giudice|modello|beoordel|rechter|taalmodel|oceniaj|sedzi|model|granskare|bedom|penilai)\w*",
    ),
)

OTHER_SCRIPTS = (
    _plea(
        "игнорир;проигнорир;забудь;не обращай;не учитывай",
        r"(?:игнорир\w*|проигнорир\w*|забудь\w*|не обращай\w* внимания|не учитывай\w*)"
        r"(?:[\W_]{1,3}\w{1,16}){0,4}?[\W_]{1,3}(?:инструкц|указани|правил|команд|сказанн)\w*",
    ),
    _plea(
        "отмет;помет;считай;засчита",
        r"(?:отмет|помет|считай|засчита)\w*[\W_]{1,3}(?:все|кажд)\w*"
        r"(?:[\W_]{1,3}\w{1,16}){0,4}?[\W_]{1,3}(?:найден|выполнен|присутств|верн|правильн)\w*",
    ),
    _plea(
        "для ",
        r"для (?:\w{1,12} )?(?:проверяющ|оценщик|оценивающ|судьи|языковой модели|модели-судьи|ии\b)\w*",
    ),
    _plea("ігнору;проігнору", r"(?:про)?ігнору\w*(?:[\W_]{1,3}\w{1,16}){0,4}?[\W_]{1,3}(?:інструкц|вказівк|правил)\w*"),
    _plea("αγνο;αγνό", r"αγν[οό][ηή]\w*(?:[\W_]{1,3}\w{1,16}){0,4}?[\W_]{1,3}(?:οδηγ|εντολ|καν[οό]ν)\w*"),
    _plea(
        "忽略;无视;無視;忘记;忘掉;不要理会;请忽视;忽视",
        r"(?:忽略|无视|無視|忘记|忘掉|不要理会|忽视)[^。\n]{0,14}(?:指令|指示|说明|說明|规则|規則|提示词|要求|评分标准)",
    ),
    _plea(
        "所有;全部;每一;每条",
        r"(?:所有|全部|每一|每条)[^。\n]{0,12}(?:标记|標記|判定|判|视|記|记|算|评)(?:为|為|作)[^。\n]{0,3}"
        r"(?:找到|满足|存在|通过|正确|found|符合)",
    ),
    _plea(
        "评审;评分;评判;阅卷;裁判;评估",
        r"(?:评审|评分|评判|阅卷|裁判|评估)(?:员|者|模型|老师|人|ai)?(?:请|注意|[，,:：])",
    ),
    _plea(
        "指示;命令;ルール;指令;プロンプト",
        r"(?:指示|命令|ルール|指令|プロンプト)[^。\n]{0,10}(?:無視|忘れ|従わな)",
    ),
    _plea(
        "すべて;全て;全部の",
        r"(?:すべて|全て|全部)の?(?:項目|指示|基準|要件|チェック)[^。\n]{0,8}(?:found|合格|満た|該当|正解|見つか)",
    ),
    _plea("採点者;評価者;審査員;採点", r"(?:採点者|評価者|審査員|採点ai|採点モデル)(?:へ|の方|の皆|[:：])"),
    _plea("지시;명령;규칙;지침;프롬프트", r"(?:지시|명령|규칙|지침|프롬프트)[^.\n]{0,10}(?:무시|잊)"),
    _plea("모든;전부", r"(?:모든|전부)[^.\n]{0,12}(?:발견|충족|통과|found)\w{0,3}(?:으로|로)?"),
    _plea("채점자;평가자;심사자;심사위원", r"(?:채점자|평가자|심사자|심사위원)(?:에게|님|[:：])"),
    _plea(
        "تجاهل;انس ",
        r"(?:تجاهل\w*|انس)(?:[\W_]{1,3}\w{1,16}){0,4}?[\W_]{1,3}(?:ال)?(?:تعليمات|أوامر|اوامر|قواعد|إرشادات"
        r"|توجيهات)\w*",
    ),
    _plea("اعتبر;ضع علامة", r"(?:اعتبر|ضع علامة)(?:[\W_]{1,3}\w{1,16}){0,5}?[\W_]{1,3}(?:موجود|مستوف|متحقق)\w*"),
    _plea(
        "התעלם;התעלמ;שכח", r"(?:התעלם|התעלמ\w|שכח)(?:[\W_]{1,3}\w{1,16}){0,3}?[\W_]{1,3}\w{0,2}(?:הוראות|כללים|הנחיות)"
    ),
    _plea("دستور", r"دستور[^.\n]{0,24}(?:نادیده|فراموش)"),
    _plea("निर्देश;नियम;आदेश", r"(?:निर्देश|नियम|आदेश)[^।\n]{0,24}(?:अनदेख|नज.{0,2}रअंदाज|भूल|उपेक्षा)"),
    _plea("নির্দেশ", r"নির্দেশ[^।\n]{0,24}(?:উপেক্ষা|ভুলে|অগ্রাহ্য)"),
    _plea("ละเว้น;เพิกเฉย;ไม่ต้องสนใจ;ลืม", r"(?:ละเว้น|เพิกเฉย|ไม่ต้องสนใจ|ลืม)[^\n]{0,12}(?:คำสั่ง|คำแนะนำ|กฎ)"),
)

_ROLE = r"(?:system|user|assistant|developer|tool|model|human|ai|bot|gpt|ipython|observation|environment)"

MACHINERY = (
    _plea("<|", r"<\|[\w▁]{2,40}\|?>"),
    _plea("<｜", r"<｜[\w▁]{2,40}｜>"),
    _plea("|>", r"(?<=[<\w])\|>(?=\s{0,2}(?:system|user|assistant)\b)"),
    _plea(
        "<turn;<start_of;<end_of;<bos;<eos;<eoh;<eoa;<sop;<reserved_;<extra_id",
        r"<(?:turn|start_of_\w{2,10}|end_of_\w{2,10}|bos|eos|eoh|eoa|sop|reserved_\d{1,4}|extra_id_\d{1,3})\|?>",
    ),
    _plea(
        "[inst];[/inst];[system_prompt];[/system_prompt];[available_tools];[tool_calls];[tool_results];[gmask]",
        r"\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|gmask)\]",
    ),
    _plea("<<sys>>;<</sys>>;<s>;</s>", r"<</?sys>>|<s>(?=\s{0,2}\[)|</s>(?=\s{0,2}(?:<|\[|$|user|system|assistant))"),
    _plea("### ", r"### (?:system|instruction|human|assistant|user|input)s?:(?=\s)"),
    _plea("<system;</system;</instruct;</prompt", r"</?(?:system|instructions?|prompt)>"),
    _plea(
        "<response ;<question ;<reference ;</response ;</question ;</reference ;<material ;</material ;<trace "
        ";</trace ",
        r"</?(?:response|question|reference|material|trace)[\s:=\-]{1,3}(?:id=|nonce="
        r"|code=)?[\"']?[0-9a-f]{4,64}[\"']? {0,2}/?>",
    ),
    _plea(
        "<untrusted;</untrusted;</material;</trace;</judge;<judge",
        r"</?(?:untrusted\w{0,20}|material|trace|judge\w{0,12})>",
    ),
    _plea('role";"role', rf"\"?role\" {{0,3}}: {{0,3}}\"{_ROLE}\" {{0,3}}, {{0,3}}\"content\" {{0,3}}:"),
)
