"""What a user does from start to end, a module each: plain arguments in, a result out."""
