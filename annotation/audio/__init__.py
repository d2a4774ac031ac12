"""Reading sound by exact frame, waveform pyramids and the mix that is played."""
