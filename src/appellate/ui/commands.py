"""The commands of the whole bench, a row each, for bindings, key strip, palette, help, line mode,
keymaps and the manual. `app/keys/palette.py` and `LinearSession` have what each does.
"""

from appellate.ui.key import keys_in

KEYS = keys_in(
    """\
This cell
item.reason  r  r  reason  11/10  say why the last correction here was made  lines
Text into a bucket
text.select  v  v  select  3/1  select words of the response  lines: take words of the response, \
for the next verdict or bucket
text.none  0  0  none  -  there is no evidence: keep the instruction's own words
Reading
text.evidence  o  o  evidence  -  the item's evidence in sight; again: into the text  lines: the \
words of the item in the response
text.next  p  p  next evidence  -  the next evidence in the text, and its item
text.previous  P  P  evidence before  -  the evidence before, and its item
text.plea  none  –  pleas  -  the next passage that seems to address the judge
text.search  slash  /  find  8/5  search the response; n and N then go from hit to hit  lines: \
find words in the response, and in what is read beside it: prints the lines that hold them
step.next  w  w  next step  -  of a conversation: go to the next step
step.previous  E  E  step before  -  of a conversation: go to the beginning of the step, then to \
the one before
step.assistants  asterisk  *  next reply  -  of a conversation: go to the next step of the assistant
step.unfold  none  –  unfold all  -  unfold all long steps of the conversation, or fold them again
text.markdown  M  M  Markdown  -  Markdown rendered, or as it was written
text.focus  z  z  focus  -  the response alone on the screen; again: everything
page.on  pagedown,space  PgDn  scroll  -  scroll the response on; Space too, where it turns no \
verdict
page.back  pageup  PgUp  scroll back  -  scroll the response back
material  K  K  read more  10/21  beside the response: reference, documents, conversation …; \
again: the next tab  lines: conversation, reference, choices, documents, metadata
material.before  none  –  tab before  -  the tab before of what is beside the response
This cell
cell.sign  a  a  sign off  2/2  sign off and go to the next open cell  lines
cell.undo  u,ctrl+z  u  undo  4/3  take back your last act; one elsewhere is named first (Ctrl+Z \
too)  lines: take back your last act; one in another cell is named first
cell.redo  U,ctrl+y  U  redo  16/18  do it again (Ctrl+Y too)  lines: do it again
cell.comment  c  c  comment  7/9  comment on the cell  lines
cell.comments  C  C  comments  -  beside the response: the cell's comments and history  lines: \
the cell's comments and history
cell.flag  F  F  flag  12/11  set the flag or remove it  lines
cell.copy  y  y  copy  -  copy the item, its words or the cell: text, TOML, JSON
cell.copy_again  none  –  copy again  -  copy of this item or cell what you copied last: words, \
TOML, JSON
cell.proposals  V  V  proposals  -  what each judge proposed: look at it, adopt it  lines: where \
two reviewers differ: what each says, and rule on it
cell.judge  J  J  judge  -  have this cell judged  lines
Going about
cell.next  full_stop,right_square_bracket  .  next cell  -  go to the next cell  lines
cell.previous  comma,left_square_bracket  ,  cell before  -  go to the previous cell  lines
trace.next  greater_than_sign  >  next trace  -  go to the next trace  lines
trace.previous  less_than_sign  <  trace before  -  go to the previous trace  lines
unreviewed.next  n  n  next  5/4  go to the next cell not signed off (in a search: hit, in a long \
cell: unseen item)  lines: go to the next cell that is not signed off
unreviewed.previous  N  N  previous  -  go to the one before that is not signed off (or \
hit)  lines: go to the one before that is not signed off
back  left_parenthesis,backspace  (  back  -  back to the cell you came from
forward  right_parenthesis  )  forward  -  forward again
by_instruction  b  b  by instruction  10/15  the instruction in every cell that is asked it: \
answer it again and again
side_by_side  s  s  side by side  13/16  another answer to the same question beside this one: \
models, epochs
jump  g  g  jump  -  jump: letters on all in sight, type one; g g: the first  lines: go to an \
item by its number
last  none  –  last  -  the last line of the list, or of the response
trace.go  colon  :  go to  -  go to a trace by its id, its number or a part of it; s19: \
to step 19 of a conversation  lines: go to a trace by its id, its number or a part of it; s19: \
print step 19 of a conversation
cell.bookmark  none  –  bookmark  -  bookmark the cell, or take the bookmark away  lines
bookmarks  none  –  bookmarks  -  the bookmarks, to go to one  lines
queue  Q  Q  queue  6/12  show the queue and go into it; again: back
queue.filter  f  f  filter  9/13  which cells the queue holds: state:proposed f1<0.5 …  lines: \
which cells are gone through: state:proposed f1<0.5 …; nothing: all
queue.order  O  O  order  14/14  the order of the queue: unreviewed, lowest, random …
queue.hide  Z  Z  hide done  -  hide in the queue what is signed off, or show it again
Session
session  S  S  numbers  15/16  the numbers in four pages: Judge, Estimate, Figures, \
Session  lines: progress, pace, what each trait comes to, and what the judge is worth
history  H  H  history  -  what you did, newest first; undo and redo there too  lines: what you \
did last, newest first, to go there
sizes  W  W  sizes  -  how much room each pane has: arrows, saved for next time
rubric.edit  I  I  rubric  -  edit the rubric, see what that changes, take it
rubric.add  at  @  new instruction  -  give the trait in sight an instruction more, see \
what that changes, take it  lines
theme  T  T  theme  -  choose a theme and see it at once
sample  percent_sign  %  sample  -  the sample: draw traces at random, add to them, go through \
them
run.again  D  D  judge again  -  judge again what the queue holds: a new round  lines: how cells \
are judged again: a new round
run.stop  X  X  stop  -  stop the judge; what has arrived stays
save  ctrl+s  Ctrl+S  export  17/17  export the audit file now  lines
palette  ctrl+p  Ctrl+P  palette  -  every command by name, those without a key too  lines: any \
command by words of its name, those without a key too
help  question_mark,f1  ?  keys  1/20  what can be done here, and this list  lines: the keys of \
the day; again: every key
quit  q,ctrl+q  q  quit  18/19  export the audit and quit  lines
"""
)
