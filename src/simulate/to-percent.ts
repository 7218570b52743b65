/** `42 %`, `99.7 %`, `< 0.1 %`. */
export function toPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent < 100 && percent > 99.9) return '> 99.9 %';
  return `${Number(percent.toFixed(percent < 10 || percent > 90 ? 1 : 0))} %`;
}
