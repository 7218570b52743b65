/** Whether a text can be a label, by which runs find workers: `claude`, `gpu-2`. Small letters, digits, `-` and `_`, at most 40. */
export function isLabel(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,39}$/.test(text);
}

export const LABEL_TEXT = 'small letters, digits, `-` and `_`, at most 40, such as `gpu`';
