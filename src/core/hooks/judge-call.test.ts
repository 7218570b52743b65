import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns, propertySize } from '../property-fixtures.ts';
import type { JsonObject } from '../values/json.ts';
import { readCalledTool } from './called-tool.ts';
import { createCallJudge } from './judge-call.ts';
import { createCallMatcher } from './match-call.ts';
import { PERMISSION_DECISIONS, type PermissionRule } from './permission-spec.ts';

const toCall = (tool: string, input: JsonObject) => readCalledTool({ tool, input, workspace: '/ws' });

describe('the rules of a hat', () => {
  const rules: readonly PermissionRule[] = [
    { decision: 'allow', rule: 'bash(npm test*)', place: 'a' },
    { decision: 'ask', rule: 'bash', place: 'b' },
    { decision: 'deny', rule: 'bash(rm *)', place: 'c' },
  ];
  const { judge, list } = createCallJudge(rules);

  it('deny first, then ask, then allow', () => {
    expect(judge(toCall('bash', { command: 'npm test; rm x' }))?.place).toBe('c');
    expect(judge(toCall('bash', { command: 'npm test' }))?.place).toBe('b');
    expect(list(toCall('bash', { command: 'npm test' })).map(({ place }) => place)).toEqual(['b', 'a']);
    expect(judge(toCall('grep', { pattern: 'x' }))).toBeNull();
  });

  it('hold everything back that a rule which cannot be read may have meant', () => {
    expect(createCallJudge([{ decision: 'deny', rule: 'bash(', place: 'x' }]).judge(toCall('grep', {}))?.place).toBe('x');
    expect(createCallJudge([{ decision: 'allow', rule: 'bash(', place: 'x' }]).judge(toCall('bash', {}))).toBeNull();
  });

  const tool = fc.constantFrom('bash', 'write_file', 'read_file', 'web_fetch', 'mcp__a__b', '*', 'write_*|bash', '[br]*');
  const pattern = fc.constantFrom('*', 'rm*', 'npm *', 'src/**', '*x*', 'https://*', 'a', '?', '[a-z]*', './b/../src/a', 'rm:*', '**/*');
  const rule = fc
    .tuple(fc.constantFrom(...PERMISSION_DECISIONS), tool, fc.option(pattern))
    .map(([decision, name, text]): PermissionRule => ({ decision, rule: text === null ? name : `${name}(${text})`, place: 'p' }));
  const text = fc.oneof(
    fc.constantFrom('rm -rf /', 'npm test; rm x', 'src/a', '../x', 'https://a.org', '', 'a|b', '$(rm x)', '/ws/src/a', '\u202Erm', 'é'),
    fc.string({ maxLength: 40 }),
    fc.string({ maxLength: 40, unit: 'binary' }),
  );
  const call = fc
    .tuple(fc.constantFrom('bash', 'write_file', 'read_file', 'web_fetch', 'mcp__a__b', 'git_push', 'constructor'), text)
    .map(([name, said]) => toCall(name, { command: said, path: said, url: said, paths: [said] }));

  it('decide the same in whatever order they are written: deny before ask before allow', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 12 }).chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        call,
        ([all, shuffled], asked) => {
          const decided = createCallJudge(all).judge(asked)?.decision ?? null;
          expect(createCallJudge(shuffled).judge(asked)?.decision ?? null).toBe(decided);
          // By the definition, asked of each rule alone.
          const says = (decision: PermissionRule['decision']) =>
            all.some((one) => {
              const matcher = one.decision === decision ? createCallMatcher(one.rule) : null;
              return decision === 'allow' ? matcher?.covers(asked) : matcher?.touches(asked);
            });
          expect(decided).toBe(says('deny') ? 'deny' : says('ask') ? 'ask' : says('allow') ? 'allow' : null);
        },
      ),
      { numRuns: propertyRuns(3000) },
    );
  });

  it('never let through what one of them denies because of another', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), rule, call, (all, denial, asked) => {
        const denied = createCallJudge([{ ...denial, decision: 'deny' }]).judge(asked) !== null;
        if (denied) expect(createCallJudge([...all, { ...denial, decision: 'deny' }]).judge(asked)?.decision).toBe('deny');
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('answer soon, though there are thousands of them and the call is huge', () => {
    const many = Array.from({ length: propertySize(4000) }, (_, index): PermissionRule => {
      const decision = PERMISSION_DECISIONS[index % 3] ?? 'deny';
      return { decision, rule: `bash(${'*a'.repeat(10)}${index}${index % 7 === 0 ? '?' : ''}*)`, place: String(index) };
    });
    const judged = createCallJudge(many);
    const startedAt = performance.now();
    for (const command of [
      'a'.repeat(10_000_000),
      `${'a '.repeat(20_000)}`,
      'b;'.repeat(900),
      `${'a'.repeat(500)}\u0000\u202E😀;`.repeat(100),
    ])
      judged.judge(toCall('bash', { command }));
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
