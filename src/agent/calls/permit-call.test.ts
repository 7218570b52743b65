import { describe, expect, it } from 'vitest';
import type { MergedHooks } from '../../core/hooks/hook-spec.ts';
import type { PermissionEntry, PermissionGrant, PermissionSpec } from '../../core/hooks/permission-spec.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { NO_HOOKS, type RequestedCall } from '../../hooks/tool-hooks.ts';
import type { PersonAnswer, PersonQuestion } from '../../ports/people.ts';
import { type CallPermit, createCallPermits } from './permit-call.ts';

/** What is there beside the calls. */
interface Scene {
  readonly rules?: readonly (readonly ['deny' | 'ask' | 'allow', string])[];
  readonly onAsk?: PermissionSpec['onAsk'];
  /** What a person answers, in order; `null`: nobody can be asked. The last one is answered again and again. */
  readonly answers?: readonly (PersonAnswer['choice'] | PersonAnswer)[] | null;
  readonly hook?: Partial<MergedHooks>;
  /** Where paths lead that are links. */
  readonly links?: Readonly<Record<string, string>>;
  readonly granted?: Set<string>;
}

function open({ rules = [], onAsk = 'deny', answers = null, hook = {}, links = {}, granted = new Set() }: Scene) {
  const asked: PersonQuestion[] = [];
  const noted: PermissionEntry[] = [];
  const grants: (readonly [string, PermissionGrant])[] = [];
  const requested: RequestedCall[] = [];
  const order: string[] = [];
  const permit = createCallPermits({
    spec: { rules: rules.map(([decision, rule], index) => ({ decision, rule, place: `ralph.yml:${index + 1}` })), onAsk },
    store: {
      isGranted: (key) => granted.has(key),
      grant: (scope, grant) => {
        order.push('granted');
        grants.push([scope, grant]);
        granted.add(grant.key);
      },
      note: (entry) => noted.push(entry),
    },
    hat: 'builder',
    turn: '3.1',
    hooks: {
      ...NO_HOOKS,
      request: async (call) => {
        requested.push(call);
        return { decision: 'ask', reason: '', injects: [], runs: [], ...hook };
      },
    },
    locate: (call) => {
      const { path } = call.input;
      return { ...call, workspace: '/ws', ...(typeof path === 'string' ? { realPath: links[path] ?? `/ws/${path}` } : {}) };
    },
    redact: (text) => text.replaceAll('s3cret', '[redacted]'),
    now: () => 0,
    ...(answers === null
      ? {}
      : {
          people: {
            ask: async (question) => {
              const answer = answers[Math.min(asked.length, answers.length - 1)] ?? 'deny';
              asked.push(question);
              await new Promise((resolve) => setTimeout(resolve, 1));
              return typeof answer === 'string' ? { choice: answer, by: 'person' } : answer;
            },
          },
        }),
  });
  const call = async (tool: string, input: JsonObject, hookReason: string | null = null): Promise<string> => {
    const { refusal } = await permit({ id: 'c', tool, input, hookReason });
    order.push(`${tool} ${refusal === null ? 'made' : 'not made'}`);
    return refusal === null ? 'made' : refusal.text;
  };
  return { call, permit, asked, noted, grants, requested, order, bash: (command: string) => call('bash', { command }) };
}

/** `decision by why` of what was noted. */
const lines = (noted: readonly PermissionEntry[]) => noted.map(({ decision, by, why }) => `${decision} ${by} ${why}`);

describe('the permissions of a turn', () => {
  it('let a call be made that no rule names, and note nothing', async () => {
    const { bash, noted } = open({ rules: [['deny', 'web_fetch']] });
    expect([await bash('ls'), noted]).toEqual(['made', []]);
  });

  it('deny by the rule that they name, whatever else allows it', async () => {
    const { permit, noted, requested, asked } = open({
      rules: [
        ['allow', 'bash'],
        ['deny', 'bash(rm *)'],
      ],
      answers: ['always'],
      hook: { decision: 'allow' },
    });
    const { refusal } = await permit({ id: 'c', tool: 'bash', input: { command: 'ls; rm x' }, hookReason: null });
    expect(refusal).toMatchObject({ kind: 'not-permitted', isError: true });
    expect(refusal?.text).toContain('The permissions deny this call: nothing was done. bash: deny bash(rm *) (ralph.yml:2)');
    expect([requested, asked]).toEqual([[], []]);
    expect(noted).toEqual([
      {
        v: 1,
        at: '1970-01-01T00:00:00.000Z',
        turn: '3.1',
        hat: 'builder',
        call: 'c',
        tool: 'bash',
        argument: 'ls; rm x',
        decision: 'deny',
        by: 'rule',
        why: 'deny bash(rm *) (ralph.yml:2)',
      },
    ]);
  });

  it('note what a rule allows', async () => {
    const { bash, noted } = open({ rules: [['allow', 'bash(npm *)']] });
    expect([await bash('npm test'), lines(noted)]).toEqual(['made', ['allow rule allow bash(npm *) (ralph.yml:1)']]);
  });

  it('see where a link leads', async () => {
    const { call } = open({ rules: [['deny', 'read_file(secret/*)']], links: { 'link/a': '/ws/secret/a' } });
    expect(await call('read_file', { path: 'link/a' })).toContain('deny read_file(secret/*)');
    expect(await call('read_file', { path: 'open/a' })).toBe('made');
  });
});

describe('a call that somebody has to allow', () => {
  const ask = [['ask', 'bash']] as const;

  it('is denied where nobody can be asked, and says so', async () => {
    const { bash, noted } = open({ rules: ask });
    expect(await bash('ls')).toContain(
      'A person would have to allow this call, and nobody can be asked: nothing was done. bash: ask bash (ralph.yml:1)',
    );
    expect(lines(noted)).toEqual(['ask rule ask bash (ralph.yml:1)', 'deny nobody on_ask: deny']);
  });

  it('is made where nobody can be asked and that is allowed; waiting for nobody denies', async () => {
    expect(await open({ rules: ask, onAsk: 'allow' }).bash('ls')).toBe('made');
    expect(await open({ rules: ask, onAsk: 'wait' }).bash('ls')).toContain('nobody can be asked');
  });

  it('is asked about in words that cannot be mistaken for others, without secrets', async () => {
    const { call, asked } = open({ rules: ask, answers: ['deny'] });
    expect(await call('bash', { command: 'echo s3cret\nWhy: it is fine \u001b[2J', cwd: 'sub' })).toContain('A person denied this call');
    expect(asked).toEqual([
      {
        key: expect.stringMatching(/^permission:[0-9a-f]{64}$/),
        kind: 'permission',
        text: 'builder wants to call bash. Why you are asked: ask bash (ralph.yml:1)\nThe call (in sub): echo [redacted]⏎Why: it is fine \uFFFD[2J',
        choices: ['once', 'run', 'always', 'deny'],
        default: 'deny',
      },
    ]);
  });

  it('is asked about again after it was allowed once', async () => {
    const { bash, asked, grants } = open({ rules: ask, answers: ['once', 'deny'] });
    expect(await bash('ls')).toBe('made');
    expect(await bash('ls')).toContain('A person denied this call');
    expect([asked.length, grants]).toEqual([2, []]);
  });

  it('is allowed for the run or for good before it is made, for the same argument and no other', async () => {
    for (const [choice, scope] of [
      ['run', 'run'],
      ['always', 'project'],
    ] as const) {
      const { bash, call, asked, grants, order } = open({ rules: [['ask', '*']], answers: [choice, 'deny'] });
      expect(await bash('npm install')).toBe('made');
      expect(order).toEqual(['granted', 'bash made']);
      expect(await bash('npm install')).toBe('made');
      expect(grants).toMatchObject([[scope, { hat: 'builder', tool: 'bash', argument: 'npm install' }]]);
      expect(asked).toHaveLength(1);
      expect(await bash('npm install x')).toContain('denied');
      expect(await call('bash', { command: 'npm install', cwd: 'other' })).toContain('denied');
      expect(await call('other', { command: 'npm install' })).toContain('denied');
    }
  });

  it('is allowed for a file however its path is written, whatever goes into it', async () => {
    const { call, asked } = open({ rules: [['ask', 'write_file']], answers: ['run', 'deny'], links: { './a': '/ws/a', '/ws/a': '/ws/a' } });
    expect(await call('write_file', { path: 'a', content: '1' })).toBe('made');
    for (const path of ['./a', '/ws/a']) expect(await call('write_file', { path, content: '2' })).toBe('made');
    expect(asked).toHaveLength(1);
    expect(await call('write_file', { path: 'b', content: '1' })).toContain('denied');
  });

  it('is allowed with all that it is called with where no single argument says what it is about', async () => {
    const { call } = open({ rules: [['ask', '*']], answers: ['run', 'deny'] });
    expect(await call('git_push', { branch: 'main', remote: 'origin' })).toBe('made');
    expect(await call('git_push', { remote: 'origin', branch: 'main' })).toBe('made');
    expect(await call('git_push', { branch: 'main', remote: 'evil' })).toContain('denied');
  });

  it('is allowed by nothing but the answer of a person, or by `on_ask` where none came', async () => {
    const answered = (answer: PersonAnswer, onAsk: PermissionSpec['onAsk'] = 'deny') =>
      open({ rules: ask, onAsk, answers: [answer] }).bash('ls');
    expect(await answered({ choice: 'always', by: 'deadline' })).toContain('nobody answered in time');
    expect(await answered({ choice: 'once', by: 'policy' })).toContain('nobody is there');
    expect(await answered({ choice: 'once', by: 'withdrawn' }, 'allow')).toContain('the turn is being stopped');
    expect(await answered({ choice: 'yes', by: 'person' })).toContain('A person denied this call');
    expect(await answered({ choice: 'deny', by: 'policy' }, 'allow')).toBe('made');
    expect(await answered({ choice: 'deny', by: 'person' }, 'allow')).toContain('denied');
  });

  it('is asked about once though several need the same answer at the same time', async () => {
    const { bash, asked } = open({ rules: ask, answers: ['run', 'deny'] });
    expect(await Promise.all([bash('ls'), bash('ls'), bash('ls')])).toEqual(['made', 'made', 'made']);
    expect(asked).toHaveLength(1);
  });

  it('is a question of its own where another with the same argument was allowed once', async () => {
    const { call, asked } = open({ rules: [['ask', 'read_file']], answers: ['once', 'deny'] });
    const both = await Promise.all([call('read_file', { path: 'a', offset: 1 }), call('read_file', { path: 'a', offset: 2 })]);
    expect([both[0], both[1]?.slice(0, 24), asked.length]).toEqual(['made', 'A person denied this cal', 2]);
  });

  it('was allowed in an earlier part of the run', async () => {
    const granted = new Set<string>();
    await open({ rules: ask, answers: ['run'], granted }).bash('ls');
    const later = open({ rules: ask, answers: ['deny'], granted });
    expect([await later.bash('ls'), later.asked, lines(later.noted)[1]]).toEqual(['made', [], 'allow grant a person allowed it before']);
  });
});

describe('what a hook leaves to a person', () => {
  it('is asked about also where a rule allows it, and is denied where a rule denies it', async () => {
    const rules = [
      ['allow', 'bash(npm *)'],
      ['deny', 'bash(rm *)'],
    ] as const;
    const { call, asked, noted } = open({ rules, answers: ['once'] });
    expect(await call('bash', { command: 'npm test' }, 'guard: who knows')).toBe('made');
    expect(asked[0]?.text).toContain('Why you are asked: guard: who knows');
    expect(lines(noted)).toEqual(['allow rule allow bash(npm *) (ralph.yml:1)', 'ask hook guard: who knows', 'allow person once']);
    expect(await call('bash', { command: 'rm x' }, 'guard: who knows')).toContain('deny bash(rm *)');
    expect(asked).toHaveLength(1);
  });

  it('is denied where nobody can be asked', async () => {
    expect(await open({}).call('bash', { command: 'ls' }, 'guard: who knows')).toContain(
      'nobody can be asked: nothing was done. bash: guard: who knows',
    );
  });
});

describe('a hook of PermissionRequest', () => {
  const RUN = { name: 'h', event: 'PermissionRequest', decision: 'allow', reason: '', error: null, ms: 1, preview: '' } as const;
  const answer = async (hook: Partial<MergedHooks>): Promise<readonly [CallPermit, number, readonly RequestedCall[]]> => {
    const { permit, asked, requested } = open({ rules: [['ask', 'bash']], answers: ['once'], hook });
    return [await permit({ id: 'c', tool: 'bash', input: { command: 'ls' }, hookReason: null }), asked.length, requested];
  };

  it('may allow and deny in the place of a person, and is told why somebody is asked', async () => {
    const [allowed, asked, requested] = await answer({ decision: 'allow', reason: 'h: known', runs: [RUN] });
    expect([allowed.refusal, allowed.hooks?.runs, asked]).toEqual([null, [RUN], 0]);
    expect(requested).toEqual([{ id: 'c', tool: 'bash', input: { command: 'ls' }, reason: 'ask bash (ralph.yml:1)' }]);
    const [denied, unasked] = await answer({ decision: 'deny', reason: 'h: never', runs: [RUN] });
    expect([denied.refusal?.text, denied.hooks?.runs, unasked]).toEqual([
      expect.stringContaining('A hook denied this call: nothing was done. bash: h: never'),
      [RUN],
      0,
    ]);
  });

  it('leaves it to a person where it says nothing', async () => {
    const [permitted, asked] = await answer({ decision: 'ask' });
    expect([permitted.refusal, permitted.hooks, asked]).toEqual([null, null, 1]);
  });
});
