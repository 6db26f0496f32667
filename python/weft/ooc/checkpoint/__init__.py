"""Checkpoints of transforms on disks: their files, and how a transform resumes from them."""
