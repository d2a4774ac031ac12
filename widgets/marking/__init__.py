"""What labelling and annotating share: kinds as buttons and keys, edges, and fields that are typed into."""
