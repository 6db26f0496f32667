"""Prints the table of settings in docs/dns.md.

PYTHONPATH=build/openmpi/python python tools/dns_settings_table.py
"""

from weft.dns.settings import REQUIRED, SECTIONS, SEVERAL


def main() -> None:
    print("| setting | default | meaning |\n|---|---|---|")
    for section, settings in SECTIONS.items():
        name = f"[[{section}]]" if section in SEVERAL else f"[{section}]"
        for key, setting in settings.items():
            default = "required" if setting.default is REQUIRED else "" if setting.default is None else setting.default
            print(f"| `{name}` {key} | {default} | {setting.help} |")


if __name__ == "__main__":
    main()
