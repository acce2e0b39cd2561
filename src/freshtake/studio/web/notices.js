// What the page says in passing: sentences that go away by themselves, or when they are dismissed.

import { asSentence } from "./api.js";
import { set, state } from "./state.js";

let toasts = 0;
export function toast(words, kind = "plain", seconds = kind === "error" ? 12 : 4) {
  words = asSentence(words);
  if (state.toasts.some((one) => one.words === words)) return;
  const id = (toasts += 1);
  set({ toasts: [...state.toasts.slice(-3), { id, words, kind }] });
  setTimeout(() => dismiss(id), seconds * 1000);
}
// The same remark about several files is said once.
export function noteToast(note) {
  const remark = note.replace(/^[^:]{1,80}: /, ""), before = state.toasts.find((one) => one.kind === "plain" && one.words.endsWith(remark));
  if (before && before.words !== note) set({ toasts: state.toasts.map((one) => (one === before ? { ...one, words: `Several of them: ${remark}` } : one)) });
  else toast(note, "plain", 9);
}
export const dismiss = (id) => set({ toasts: state.toasts.filter((one) => one.id !== id) });
