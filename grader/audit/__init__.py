"""`kata grade --audit`: the traced operators, checked and run again in trusted hands."""
