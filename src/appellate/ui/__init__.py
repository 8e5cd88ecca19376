"""Small widgets that know no trait kind: plain values in, messages out, no markup ever."""
