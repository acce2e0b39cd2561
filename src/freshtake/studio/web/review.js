// Reviewing variants: how different each is, their order, and keyboard shortcuts.

import { useEffect, useMemo, useRef, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";

export const ORDERS = [["made", "As made"], ["different", "Most different first"], ["typical", "Most typical first"], ["best", "Best first"], ["worst", "Worst first"]];
export const REVIEW_KEYS = [[". ,", "next, previous variant"], ["s x", "star, reject it"], ["b", "flip to the take and back"], ["r", "redraw this one (or its stretch)"], ["[ ]", "in and out of a stretch"], ["m", "pin this pose"], ["v", "show what differs"], ["h", "takes behind it"], ["esc", "all variants"]];

// id → { mean, parts }: how far variants are from the mean of their takes; requested again when one of them changes.
export function useDifferences(variants, on) {
  const [known, setKnown] = useState({}), stamp = variants.map((item) => `${item.id}${item.facts.revision ?? ""}`).join();
  const wanted = useRef("");
  useEffect(() => {
    if (!on || !variants.length) return undefined;
    wanted.current = stamp;
    const wait = setTimeout(() => api.get("differences", { items: variants.slice(0, 200).map((item) => item.id).join() })
      .then((rows) => { if (wanted.current === stamp) setKnown(Object.fromEntries(rows.map((row) => [row.id, row]))); }, () => {}), 300);
    return () => clearTimeout(wait);
  }, [stamp, on]);
  return known;
}

const faults = (item) => item.findings?.length ?? 0;
export function useOrdered(variants, order, differences) {
  return useMemo(() => {
    const size = (item) => differences[item.id]?.mean ?? 1, unusual = (item) => Math.abs(Math.log(Math.max(size(item), 0.05)));
    const by = { different: (a, b) => size(b) - size(a), typical: (a, b) => size(a) - size(b), best: (a, b) => faults(a) - faults(b) || unusual(a) - unusual(b), worst: (a, b) => faults(b) - faults(a) || unusual(b) - unusual(a) }[order];
    return by ? [...variants].sort(by) : variants;
  }, [variants, order, differences]);
}

// One line about a variant in an animator's words.
export function differenceWords({ mean, parts } = {}) {
  if (mean === undefined) return "";
  const size = mean < 0.75 ? "close to the average" : mean <= 1.35 ? "as different as the takes" : mean <= 1.9 ? "more different than the takes" : "far from the takes";
  return parts.length ? `${size}, mostly ${parts.map((part) => `the ${part}`).join(" and ")}` : size;
}

// `actions`: key → function. Keys typed into a field are ignored.
export function useReviewKeys(actions) {
  const newest = useRef(actions);
  newest.current = actions;
  useEffect(() => {
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input[type=text], input[type=number], input[type=search], textarea, select")) return;
      const act = newest.current[event.key === "Escape" ? "esc" : event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    };
    window.addEventListener("keydown", key, true);
    return () => window.removeEventListener("keydown", key, true);
  }, []);
}
