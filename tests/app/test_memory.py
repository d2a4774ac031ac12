import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped]

from annotation.conversation import Channel, Conversation
from annotation.project.project import Project
from annotation.sources import ImportedConversation

CHECKOUT = Path(__file__).parents[2]
CONVERSATIONS = 50
SECONDS = int(os.environ.get("FLOORSCOPE_CONVERSATION_SECONDS", "60"))
"""How long each conversation is; a release check sets 3600."""
RATE_HZ = 8_000
SETTLED = 10
MIB = 1 << 20


def project_of_many(folder: Path) -> Path:
    random = np.random.default_rng(3)
    minute = (random.standard_normal(RATE_HZ * 60) * 3000).astype(np.int16)
    conversations = []
    for number in range(CONVERSATIONS):
        channels = []
        for speaker in ("anna", "ben"):
            path = folder / f"c{number:02}_{speaker}.wav"
            with soundfile.SoundFile(path, "w", RATE_HZ, 1, "PCM_16") as file:
                for _ in range(SECONDS // 60):
                    file.write(np.roll(minute, int(random.integers(len(minute)))))
            channels.append(Channel(speaker, path, 0, RATE_HZ, RATE_HZ * SECONDS))
        conversations.append(ImportedConversation(Conversation(f"c{number:02}", RATE_HZ, tuple(channels))))
    path = folder / "many.floorscope"
    with Project.create(path, backups=False) as project:
        project.add(conversations)
    return path


def test_fifty_conversations_opened_in_a_row_leave_no_memory_behind(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(CHECKOUT),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    script = [sys.executable, str(CHECKOUT / "tests" / "app" / "many_conversations.py"), str(project_of_many(tmp_path))]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=3600, check=True)
    resident = [int(line) for line in done.stdout.split()]
    assert len(resident) == CONVERSATIONS
    growth = max(resident[SETTLED:]) - max(resident[:SETTLED])
    assert growth < 24 * MIB, [round(value / MIB) for value in resident]
