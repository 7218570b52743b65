import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';

const SHOWN_HATS = 5;

/** Two hats with the same instructions, except for white space: the second was probably copied and forgotten. */
export const checkSameInstructions: FlowRule = (topology) => {
  if (topology.coordination === 'solo') return [];
  const byText = new Map<string, HatSpec[]>();
  for (const hat of listSuspects(topology.hats)) {
    const text = hat.instructions.replace(/\s+/g, ' ').trim();
    const same = byText.get(text);
    if (text === '') continue;
    if (same === undefined) byText.set(text, [hat]);
    else same.push(hat);
  }
  return [...byText.values()].flatMap(([first, second, ...others]) =>
    first === undefined || second === undefined ? [] : [toFinding(first, second, others)],
  );
};

/** The hats whose instructions have the same checksum as another's, in the order of the file; all other texts are known to differ. */
function listSuspects(hats: readonly HatSpec[]): readonly HatSpec[] {
  const hatsOf = new Map<number, number>();
  const sums = hats.map((hat) => sumUp(hat.instructions));
  for (const sum of sums) hatsOf.set(sum, (hatsOf.get(sum) ?? 0) + 1);
  return hatsOf.size === hats.length ? [] : hats.filter((_, place) => (hatsOf.get(sums[place] ?? 0) ?? 0) > 1);
}

/** A checksum of the printable ASCII characters: texts that differ only in white space have the same. */
function sumUp(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 32 && code < 127) sum = (Math.imul(sum, 31) + code) | 0;
  }
  return sum;
}

function toFinding(first: HatSpec, second: HatSpec, others: readonly HatSpec[]): FlowFinding {
  const more = others.length === 0 ? '' : `, and so do ${others.length} more`;
  const line = (first.instructions.trim().split('\n')[0] ?? '').trim();
  const lineOf = (hat: HatSpec): string => (hat.instructions.includes(line) ? line : '');
  return {
    code: 'instructions-same',
    severity: 'warning',
    at: { kind: 'hat-words', hat: second.id, words: lineOf(second) },
    message: `Hats '${first.id}' and '${second.id}' have the same instructions${more}.`,
    why: 'Hats differ in their instructions. Two with the same instructions do the same work twice, which happens when one is copied and not rewritten.',
    fix: `Tell each what it does that the other does not:\n\nhats:\n  ${second.id}:\n    instructions: |\n      …\n\nor make them one hat with the triggers of both. If both import the same file on purpose, add a line to one of them.`,
    hats: [first, second, ...others].slice(0, 20).map((hat) => hat.id),
    related: [first, ...others.slice(0, SHOWN_HATS)].map((hat) => ({
      at: { kind: 'hat-words', hat: hat.id, words: lineOf(hat) } as const,
      message: `'${hat.id}' is told the same.`,
    })),
  };
}
