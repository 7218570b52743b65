const MONEY = /^\$?\s*(\d+(?:\.\d+)?|\.\d+)$/;

/** US dollars of an amount as it is written in a configuration: a number, or text such as `$5`, `0.50`. `null` for anything else. */
export function parseMoneyUsd(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const amount = MONEY.exec(value.trim())?.[1];
  return amount === undefined ? null : Number(amount);
}
