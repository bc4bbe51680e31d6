"""The small mixed corpus that tests read."""

FILES = {
    "towers.md": "# Towers at sea\n\n## Bell Rock\n\nRobert Stevenson built a tower on a reef "
    "off Arbroath.\n\n## Eddystone\n\nSmeaton dovetailed granite blocks together.\n",
    "lamps.txt": "Lamps and lenses\n\nFresnel arranged prisms in rings around a lamp.\n\n"
    "Oil gave way to electricity.\n",
    "lights.csv": "name,country,height\nBell Rock,Scotland,35\nEddystone,England,49\n"
    "Cordouan,France,67\n",
    "people.graph.jsonl": "\n".join(
        (
            '{"node":"bell","name":"Bell Rock","aliases":["Inchcape"],"kind":"light"}',
            '{"node":"stevenson","name":"Robert Stevenson","kind":"engineer"}',
            '{"node":"smeaton","name":"John Smeaton","kind":"engineer"}',
            '{"edge":["bell","BUILT_BY","stevenson"],"text":"Stevenson built it."}',
            '{"edge":["stevenson","LEARNED_FROM","smeaton"],"text":"He studied the tower."}',
        )
    ),
}
