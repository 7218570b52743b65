import { describe, expect, it } from 'vitest';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { validateTopology } from './validate-topology.ts';

const COUNT = 3000;

/** What the rules about the whole flow say about a team in which each hat is made from its number. */
function check(makeOne: (index: number) => HatSpec, parts: Parameters<typeof makeSpec>[0] = {}): readonly FlowFinding[] {
  const hats = Array.from({ length: COUNT }, (_none, index) => makeOne(index));
  return validateTopology(compileTopology(makeSpec({ coordinator: 'hats', ...parts, hats })));
}

function countOf(findings: readonly FlowFinding[], code: string): number {
  return findings.filter((finding) => finding.code === code).length;
}

/** Characters of everything that is told of one finding. */
function sizeOf(finding: FlowFinding): number {
  return JSON.stringify(finding).length;
}

describe('teams of thousands of hats', () => {
  it('that are in order have no finding', () => {
    const findings = check((index) =>
      makeHat(
        `h${index}`,
        [...(index === 0 ? ['task.start', 'task.resume'] : []), `h${index}.asked`, `h${index}.again`, `p${index}.*`],
        [`h${(index + 1) % COUNT}.asked`, `h${(index + 1) % COUNT}.again`, `p${(index + 7) % COUNT}.*`],
      ),
    );
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(['*', 'a.*', 'task.start'])('that all trigger on %s have one finding, which stays short', (trigger) => {
    const findings = check((index) => makeHat(`h${index}`, [trigger], ['*']));
    expect(countOf(findings, 'routing-ambiguous')).toBe(1);
    const [found] = findings.filter(({ code }) => code === 'routing-ambiguous');
    expect(found?.why).toContain("Both 'h0' and 'h1' (and 2,998 more) trigger on");
    expect(Math.max(...findings.map(sizeOf))).toBeLessThan(10_000);
  });

  it('whose patterns all tie with each other are told of some pairs', () => {
    const findings = check((index) => makeHat(`h${index}`, [index % 2 === 0 ? `w${1000 + index}.*` : `*.w${1000 + index}`]));
    expect(countOf(findings, 'routing-ambiguous')).toBe(100);
    expect(findings.filter(({ code }) => code === 'routing-ambiguous').reduce((sum, finding) => sum + sizeOf(finding), 0)).toBeLessThan(
      200_000,
    );
  });

  it('whose patterns are too many to be compared are told so, once, and of nothing that was not looked at', () => {
    const findings = check((index) =>
      makeHat(`h${index}`, index === 0 ? ['task.start', 'task.resume'] : [`x${index}.asked`], [`*.y${index}`]),
    );
    expect(countOf(findings, 'flow-unchecked')).toBeGreaterThan(0);
    expect(new Set(findings.filter(({ code }) => code === 'flow-unchecked')).size).toBe(1);
    expect(countOf(findings, 'hat-unreachable')).toBe(0);
    expect(countOf(findings, 'event-orphan')).toBeLessThan(COUNT);
  });

  it('that nothing leads to are all told of, each in a few lines', () => {
    const findings = check((index) => makeHat(`h${index}`, index === 0 ? ['task.start', 'task.resume'] : [`x${index}`]));
    const lost = findings.filter(({ code }) => code === 'hat-unreachable');
    expect(lost).toHaveLength(COUNT - 1);
    expect(Math.max(...lost.map(sizeOf))).toBeLessThan(3000);
  });

  it('are followed to the last hat of a chain, however long', () => {
    const chain = (index: number) =>
      makeHat(`h${index}`, index === 0 ? ['task.start', 'task.resume'] : [`to.h${index}`], index + 1 < COUNT ? [`to.h${index + 1}`] : []);
    expect(countOf(check(chain), 'hat-unreachable')).toBe(0);
    const broken = check((index) => (index === COUNT - 2 ? makeHat(`h${index}`, [`to.h${index}`]) : chain(index)));
    expect(broken.filter(({ code }) => code === 'hat-unreachable').map(({ hats }) => hats)).toEqual([[`h${COUNT - 1}`]]);
  });
});
