import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_CARDS } from './built-in-cards.ts';
import { TOOL_GROUPS, type ToolCard, type ToolGroup } from './tool-card.ts';
import { BUILT_IN_POLICIES, type ProfilePolicy, resolveProfile } from './tool-profiles.ts';

const READING = ['read_file', 'list_files', 'glob', 'grep', 'git_status', 'git_diff', 'git_log'];
const WRITING = ['write_file', 'edit_file', 'git_init', 'git_commit', 'git_remote_add', 'git_push'];
const GITHUB = ['github_create_repo', 'github_create_pr'];
const WEB = ['web_search', 'web_fetch'];
const RUNTIME = ['bash', 'list_runtimes'];
const QUALITY = ['run_tests', 'run_lint', 'run_build'];
const COORDINATION = ['emit_event', 'write_scratchpad', 'update_todos'];

const NOTHING: ProfilePolicy = { allow: [], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false };

function makeCard(name: string, group: ToolGroup, hints: Partial<ToolCard['hints']> = {}): ToolCard {
  return { name, group, description: '', hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false, ...hints } };
}

function offeredOf(policy: ProfilePolicy | null, cards: readonly ToolCard[] = BUILT_IN_CARDS): readonly string[] {
  return resolveProfile(policy, cards).flatMap(({ card, isOffered }) => (isOffered ? [card.name] : []));
}

function builtIn(name: string): ProfilePolicy {
  const policy = BUILT_IN_POLICIES[name];
  if (policy === undefined) throw new Error(`no profile ${name}`);
  return policy;
}

describe('the built-in profiles', () => {
  it.each([
    ['explorer', [...READING, ...WEB, 'list_runtimes']],
    ['planner', [...READING, ...WEB, 'list_runtimes']],
    ['creator', [...READING, ...WRITING, ...GITHUB, ...RUNTIME, ...QUALITY]],
    ['critic', [...READING, ...QUALITY, 'list_runtimes']],
    ['editor', [...READING, ...WRITING, ...GITHUB, ...RUNTIME, ...QUALITY, 'task_complete']],
  ])('%s has these tools of the seed and no others of them', (name, expected) => {
    const known = [...READING, ...WRITING, ...GITHUB, ...WEB, ...RUNTIME, ...QUALITY, 'task_complete', ...COORDINATION];
    const offered = offeredOf(builtIn(name)).filter((tool) => known.includes(tool));
    expect(offered.sort()).toEqual([...expected, ...COORDINATION].sort());
  });
});

describe('a profile', () => {
  const bash = makeCard('bash', 'runtime', { destructive: true });
  const look = makeCard('look', 'fs_read', { readOnly: true, destructive: true });
  const write = makeCard('write', 'fs_write', { destructive: true });
  const push = makeCard('push', 'git_write');
  const foreign = makeCard('mcp__docs__find', 'mcp:docs');
  const cards = [bash, look, write, push, foreign];

  it('that allows nothing offers what every hat has, and nothing else', () => {
    expect(offeredOf(NOTHING)).toEqual(BUILT_IN_CARDS.flatMap(({ name, group }) => (group === 'coordination' ? [name] : [])));
  });

  it('that is none offers everything', () => {
    expect(offeredOf(null)).toEqual(BUILT_IN_CARDS.map((card) => card.name));
  });

  it('takes groups, composites, tools, and MCP servers one by one or all', () => {
    expect(offeredOf({ ...NOTHING, allow: ['runtime'] }, cards)).toEqual(['bash']);
    expect(offeredOf({ ...NOTHING, allow: ['fs'] }, cards)).toEqual(['look', 'write']);
    expect(offeredOf({ ...NOTHING, allow: ['git', 'look'] }, cards)).toEqual(['look', 'push']);
    expect(offeredOf({ ...NOTHING, allow: ['mcp:docs'] }, cards)).toEqual(['mcp__docs__find']);
    expect(offeredOf({ ...NOTHING, allow: ['mcp:*'] }, cards)).toEqual(['mcp__docs__find']);
    expect(offeredOf({ ...NOTHING, allow: ['mcp:other', 'mcp', 'unknown', '*', '', 'constructor'] }, cards)).toEqual([]);
  });

  it('keeps what is denied out, by every kind of name', () => {
    const allow = ['fs', 'git', 'runtime', 'mcp:*'];
    expect(offeredOf({ ...NOTHING, allow, deny: ['fs', 'push', 'mcp:*'] }, cards)).toEqual(['bash']);
    expect(offeredOf({ ...NOTHING, allow, deny: ['git_write', 'mcp:docs', 'bash', 'fs_write'] }, cards)).toEqual(['look']);
  });

  it('that denies the destructive minds the hint only of tools that change something', () => {
    expect(offeredOf({ ...NOTHING, allow: ['fs', 'git', 'runtime'], denyDestructive: true }, cards)).toEqual(['look', 'push']);
    expect(offeredOf({ ...NOTHING, allow: ['fs', 'runtime'], exempt: ['bash'], denyDestructive: true }, cards)).toEqual(['bash', 'look']);
  });

  it('says why each tool is in or out', () => {
    const policy = { ...NOTHING, allow: ['fs', 'git', 'quality'], deny: ['git_push'], exempt: ['quality'], requireReadOnly: true };
    const reasons = Object.fromEntries(resolveProfile(policy, BUILT_IN_CARDS).map(({ card, why }) => [card.name, why]));
    expect(reasons).toMatchObject({
      read_file: 'allowed by fs',
      write_file: 'not read-only',
      git_push: 'denied by git_push',
      bash: 'not allowed',
      run_tests: 'allowed by quality; not read-only, exempted by quality',
      emit_event: 'every hat has it',
    });
    expect(resolveProfile(null, [bash])).toMatchObject([{ isOffered: true, why: 'no profile' }]);
  });

  it('keeps the order of the tools and takes each name once', () => {
    const twice = [push, look, push, bash, makeCard('look', 'web')];
    const verdicts = resolveProfile({ ...NOTHING, allow: ['git', 'fs'] }, twice);
    expect(verdicts.map(({ card, isOffered }) => [card, isOffered])).toEqual([
      [push, true],
      [look, true],
      [bash, false],
    ]);
  });
});

describe('laws of profiles', () => {
  const group = fc.constantFrom<ToolGroup>(...TOOL_GROUPS, 'mcp:a', 'mcp:b');
  const flag = fc.boolean();
  const hints = fc.record({ readOnly: flag, destructive: flag, idempotent: flag, openWorld: flag });
  const card = fc.record({ name: fc.constantFrom('t1', 't2', 't3', 't4', 't5', 'fs'), group, hints, description: fc.constant('') });
  const cards = fc.array(card, { maxLength: 8 });
  const names = fc.array(fc.constantFrom('t1', 't2', 't3', 'fs', 'git', ...TOOL_GROUPS, 'mcp:a', 'mcp:*', 'nobody'), { maxLength: 5 });
  const policy = fc.record({ allow: names, deny: names, exempt: names, requireReadOnly: flag, denyDestructive: flag });

  /** What a list of names means, said once more in another way: the names that a tool goes by. */
  const namesOf = ({ name, group: home }: ToolCard): readonly string[] => {
    const composite = { fs_read: 'fs', fs_write: 'fs', git_read: 'git', git_write: 'git' }[String(home)];
    return [name, home, ...(composite === undefined ? [] : [composite]), ...(home.startsWith('mcp:') ? ['mcp:*'] : [])];
  };
  const isNamed = (list: readonly string[], tool: ToolCard): boolean => namesOf(tool).some((name) => list.includes(name));

  it('what is denied is never offered', () => {
    fc.assert(
      fc.property(policy, cards, (rules, tools) => {
        for (const { card: tool, isOffered } of resolveProfile(rules, tools)) {
          if (isNamed(rules.deny, tool)) expect(isOffered).toBe(false);
        }
      }),
    );
  });

  it('read-only lets nothing in that changes something, unless it is exempt', () => {
    fc.assert(
      fc.property(policy, cards, (rules, tools) => {
        for (const { card: tool, isOffered } of resolveProfile({ ...rules, requireReadOnly: true }, tools)) {
          if (isOffered && !tool.hints.readOnly) expect(isNamed(rules.exempt, tool)).toBe(true);
        }
      }),
    );
  });

  it('nothing is offered that is not allowed', () => {
    fc.assert(
      fc.property(policy, cards, (rules, tools) => {
        for (const { card: tool, isOffered } of resolveProfile(rules, tools)) {
          if (isOffered) expect(isNamed(rules.allow, tool)).toBe(true);
        }
      }),
    );
  });

  it('a tool that is added to a group changes only the profiles that name the group', () => {
    fc.assert(
      fc.property(policy, cards, group, hints, (rules, tools, home, kind) => {
        const added: ToolCard = { name: 'added', group: home, hints: kind, description: '' };
        const before = offeredOf(rules, tools);
        const after = offeredOf(rules, [...tools, added]);
        expect(after.filter((name) => name !== 'added')).toEqual(before);
        if (!isNamed(rules.allow, added)) expect(after).toEqual(before);
      }),
    );
  });

  it('the tools of coordination are offered whatever a profile says', () => {
    fc.assert(
      fc.property(policy, (rules) => {
        const offered = offeredOf({ ...rules, deny: [...rules.deny, 'coordination', ...COORDINATION] });
        expect(COORDINATION.filter((name) => !offered.includes(name))).toEqual([]);
      }),
    );
  });
});
