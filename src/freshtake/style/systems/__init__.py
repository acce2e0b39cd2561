"""Linear systems from source to target style: identified, chosen, simulated (Hsu 2005, §4)."""
