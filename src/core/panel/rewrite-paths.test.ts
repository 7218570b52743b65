import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../property-fixtures.ts';
import { canonicalPaths, createNameRewriter, createPathRewriter } from './rewrite-paths.ts';

const ROOTS = [
  { path: '/w/agent_1', shown: '/view/agent2' },
  { path: '/w/agent_10', shown: '/view/agent1' },
  { path: '/w/agent_1/sub', shown: '/view/agent3' },
  { path: '/w/my dir (ä)', shown: '/view/agent 4' },
];
const rewrite = createPathRewriter({ roots: ROOTS });

describe('a path in a text', () => {
  it.each([
    ['/w/agent_1', '/view/agent2'],
    ['/w/agent_1/', '/view/agent2/'],
    ['see /w/agent_1/src/a.ts:3', 'see /view/agent2/src/a.ts:3'],
    ['/w/agent_10/a and /w/agent_1/b', '/view/agent1/a and /view/agent2/b'],
    ['/w/agent_1/sub/x', '/view/agent3/x'],
    ['/w/agent_1/subs/x', '/view/agent2/subs/x'],
    ['"/w/agent_1","/w/agent_10"', '"/view/agent2","/view/agent1"'],
    ['[a](/w/agent_1) `/w/agent_1` </w/agent_1> **/w/agent_1**', '[a](/view/agent2) `/view/agent2` </view/agent2> **/view/agent2**'],
    ['PWD=/w/agent_1;ls', 'PWD=/view/agent2;ls'],
    ['PATH=/bin:/w/agent_1:/usr', 'PATH=/bin:/view/agent2:/usr'],
    ['It is in /w/agent_1.', 'It is in /view/agent2.'],
    ['It is in /w/agent_1. Or not', 'It is in /view/agent2. Or not'],
    ['Is it in /w/agent_1?', 'Is it in /view/agent2?'],
    ['\\w\\agent_1\\src\\a.ts', '\\view\\agent2\\src\\a.ts'],
    ['C:\\w\\agent_1\\a', 'C:\\view\\agent2\\a'],
    ['{"path":"\\\\w\\\\agent_1\\\\a"}', '{"path":"\\\\view\\\\agent2\\\\a"}'],
    ['{"path":"\\/w\\/agent_1\\/a"}', '{"path":"\\/view\\/agent2\\/a"}'],
    ['{"text":"a\\n/w/agent_1/a"}', '{"text":"a\\n/view/agent2/a"}'],
    ['file:///w/agent_1/a', 'file:///view/agent2/a'],
    ['file://localhost/w/agent_1', 'file://localhost/view/agent2'],
    ['vscode://file/w/agent_1/a:3', 'vscode://file/view/agent2/a:3'],
    ['?path=%2Fw%2Fagent_1%2Fa', '?path=%2Fview%2Fagent2%2Fa'],
    ['/w/my dir (ä)/a', '/view/agent 4/a'],
    ['file:///w/my%20dir%20(%C3%A4)/a', 'file:///view/agent%204/a'],
    ['/w/my%20dir%20%28%c3%a4%29', '/view/agent%204'],
    ['/w/my\\ dir\\ \\(ä\\)/a', '/view/agent 4/a'],
    ['"/w/my dir (\\u00e4)/a"', '"/view/agent 4/a"'],
    ['/w//agent_1/a', '/view/agent2/a'],
    ['\u001b[1;31m/w/agent_1\u001b[0m', '\u001b[1;31m/view/agent2\u001b[0m'],
    ['cc -I/w/agent_1/include', 'cc -I/view/agent2/include'],
    ['@/w/agent_1/a', '@/view/agent2/a'],
    ['結果は/w/agent_1にあります', '結果は/view/agent2にあります'],
    ['“/w/agent_1”', '“/view/agent2”'],
  ])('%j becomes %j', (text, expected) => {
    expect(rewrite(text)).toBe(expected);
    expect(rewrite(expected)).toBe(expected);
  });

  it.each([
    '',
    '/w/agent_11',
    '/w/agent_1x',
    '/w/agent_1-b',
    '/w/agent_1.bak',
    '/w/agent_1.5',
    '/w/agent_1ä',
    '/x/w/agent_1',
    'x/w/agent_1/a',
    '../w/agent_1',
    './w/agent_1',
    '~/w/agent_1',
    '$HOME/w/agent_1',
    `\${HOME}/w/agent_1`,
    'https://w/agent_1',
    'https://host:8080/w/agent_1',
    '/W/agent_1',
    '/w/Agent_1',
    '/w',
    'w/agent_1',
    'agent_1',
    '/w/agent',
  ])('%j stays as it is', (text) => {
    expect(rewrite(text)).toBe(text);
  });

  it('stays where it is shown already, though that lies in a root', () => {
    const inside = createPathRewriter({ roots: [{ path: '/repo/', shown: '/repo/.ralph/views/agent1/' }] });
    expect(inside('/repo/a /repo/.ralph/views/agent1/a /repo/.ralph')).toBe(
      '/repo/.ralph/views/agent1/a /repo/.ralph/views/agent1/a /repo/.ralph/views/agent1/.ralph',
    );
    expect(inside('/repo/.ralph/views/agent1/a')).toBe('/repo/.ralph/views/agent1/a');
  });

  it('stays without roots, and a root without a name is none', () => {
    expect(createPathRewriter({ roots: [] })('/a')).toBe('/a');
    expect(createPathRewriter({ roots: [{ path: '/', shown: '/' }] })('/a / b')).toBe('/a / b');
  });

  it('may have marks in its name that patterns and replacements mean something by', () => {
    const odd = createPathRewriter({ roots: [{ path: '/w/a.b+[c]$&^{2}|\ud800😀', shown: "/v/$&$'$1" }] });
    expect(odd('/w/a.b+[c]$&^{2}|\ud800😀/x /w/aXb')).toBe("/v/$&$'$1/x /w/aXb");
  });

  it.each([
    '/',
    '\\',
    '/w',
    '/w/agent_1',
    '/w/agent_1.',
    '-I',
    ' /w/agent_1/',
    '\u001b[0;',
    '\u001b[0m/w',
    ':///',
    '/w/my dir (ä',
    '%2F',
    'は',
    '\\n',
    'x',
  ])('is found in little time in a long text of %j', (piece) => {
    const text = piece.repeat(Math.ceil((1 << 20) / piece.length));
    const startMs = performance.now();
    rewrite(text);
    // A tenth of this on a machine that has nothing else to do; what is not linear takes hours.
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});

const NAMES = ['agent', 'agent_1', 'agent_10', 'agent_1 x', 'w', 'ä', 'a.b', 'a(1)', '50%', '#1'];
const roots = fc.uniqueArray(
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`),
  { minLength: 1, maxLength: 6 },
);
/** How programs write a path. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replaceAll('/', '\\\\'),
  (path) => path.replaceAll('/', '\\/'),
  (path) => `file://${path}`,
  (path) => `file://${encodeURI(path)}`,
  (path) => encodeURI(path),
  (path) => encodeURIComponent(path),
];
const BEFORE = ['', ' ', '\n', '"', "'", '(', '[', '=', ':', ',', '`', '<'];
const AFTER = ['', ' ', '\n', '"', "'", ')', ']', ':', ',', ';', '.', '. ', '`', '>', '/src/a.ts', '\\src\\a.ts'];
const WORDS = ['word', 'agent_10x', 'xagent_1', '10', '-', 'ä', '😀', '%'];

describe('whatever the roots are', () => {
  const place = fc.record({
    root: fc.nat(),
    spell: fc.constantFrom(...SPELLINGS),
    before: fc.constantFrom(...BEFORE),
    after: fc.constantFrom(...AFTER),
    word: fc.constantFrom(...WORDS),
  });

  it('no real one survives where it stands as a whole, and doing it twice changes nothing', () => {
    fc.assert(
      fc.property(roots, fc.array(place, { minLength: 1, maxLength: 6 }), (paths, places) => {
        const real = paths.map((path) => `/real${path}`);
        const all = real.map((path, index) => ({ path, shown: `/view/token/agent${index + 1}` }));
        const text = places
          .map(({ root, spell, before, after, word }) => `${word} ${before}${spell(real[root % real.length] ?? '')}${after}\n`)
          .join('');
        const once = createPathRewriter({ roots: all })(text);
        expect(once).not.toContain('real');
        expect(once.match(/agent\d+(?=\W|$)/g)?.length ?? 0).toBeGreaterThan(0);
        expect(createPathRewriter({ roots: all })(once)).toBe(once);
        const canonical = canonicalPaths(text, real);
        expect(canonical).not.toContain('real');
        expect(canonicalPaths(canonical, real)).toBe(canonical);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('the plain path leads to exactly the folder that the longest root above it is shown as', () => {
    fc.assert(
      fc.property(roots, fc.nat(), fc.constantFrom('', '/x', '/agent_1/x'), (paths, picked, below) => {
        const all = paths.map((path, index) => ({ path: `/real${path}`, shown: `/view/${index + 1}` }));
        const path = `/real${paths[picked % paths.length]}${below}`;
        const above = all.filter((root) => path === root.path || path.startsWith(`${root.path}/`));
        const longest = above.reduce((a, b) => (b.path.length > a.path.length ? b : a));
        expect(createPathRewriter({ roots: all })(`in ${path}`)).toBe(`in ${longest.shown}${path.slice(longest.path.length)}`);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('a text in which none stands as a whole is returned as it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/x/real/agent_1',
        '/real/agent_1x',
        '/real/agent_100',
        '/real/agent_1-2',
        '/real',
        'real/agent_1',
        '../real/agent_1',
      ),
      fc.string({ maxLength: 8 }).filter((text) => !/[/\\%]/.test(text)),
    );
    const innocent = fc.array(piece).map((pieces) => pieces.join(' '));
    const known = ['/real/agent_1', '/real/agent_10', '/real/agent_1/x'].map((path) => ({ path, shown: '/view/agent1' }));
    fc.assert(
      fc.property(innocent, (text) => {
        expect(createPathRewriter({ roots: known })(text)).toBe(text);
        expect(
          canonicalPaths(
            text,
            known.map(({ path }) => path),
          ),
        ).toBe(text);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

it('costs what stands in the text, and not what might: a panel of fifty has a rewriter for each pair of its agents', () => {
  const roots = Array.from({ length: 150 }, (_, index) => ({
    path: `/run/panels/1.1/w${index}x/tree`,
    shown: `/run/panels/1.1/v/agent${index + 1}`,
  }));
  const startMs = performance.now();
  for (let pair = 0; pair < propertyRuns(500); pair += 1)
    expect(
      createPathRewriter({ roots: roots.map(({ path, shown }) => ({ path: path.replace('tree', `t${pair}`), shown })) })('See src/a.ts.'),
    ).toBe('See src/a.ts.');
  expect(performance.now() - startMs).toBeLessThan(5000);
});

describe('the canonical form of an answer', () => {
  it('is the same for two that differ in their folders only', () => {
    const known = ['/w/agent_1', '/w/agent_10', '/tmp/v/agent3'];
    const [one, other] = ['See /w/agent_1/a.', 'See /tmp/v/agent3/a.'].map((text) => canonicalPaths(text, known));
    expect(one).toBe('See /workspace/a.');
    expect(other).toBe(one);
    expect(canonicalPaths('\\w\\agent_10', known)).toBe('/workspace');
  });

  it('is the text itself without roots', () => {
    expect(canonicalPaths('/a/b', [])).toBe('/a/b');
  });
});

describe('the name of an agent in a text', () => {
  const numbers = new Map([
    ['opus-1', 3],
    ['opus-10', 1],
    ['opus', 2],
    ['ab', 4],
    ['agent2', 5],
    ['a.b', 6],
  ]);
  const hide = createNameRewriter([...numbers.keys()], (id) => numbers.get(id) ?? 0);

  it.each([
    ['opus-1 said', 'agent3 said'],
    ['opus-1, opus-10 and opus.', 'agent3, agent1 and agent2.'],
    ['(opus)', '(agent2)'],
    ['a.b', 'agent6'],
  ])('%j becomes %j', (text, expected) => {
    expect(hide(text)).toBe(expected);
  });

  it.each(['opus-2', 'opus-100', 'my_opus-1', 'opus_', 'x-opus', 'Opus', 'magnum0opus', 'ab', 'axb', 'agent2', ''])('%j stays', (text) => {
    expect(hide(text)).toBe(text);
  });

  it('stays without ids', () => {
    expect(createNameRewriter([], () => 1)('a')).toBe('a');
  });

  it('is never left, and doing it twice changes nothing', () => {
    const id = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '_'), minLength: 3, maxLength: 6 });
    const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        ids,
        fc.array(fc.oneof(id, fc.constantFrom('agent1', 'agent2', 'word')), { maxLength: 8 }),
        fc.constantFrom(' ', ', ', '/', '"'),
        (known, words, by) => {
          const rename = createNameRewriter(known, (name) => known.indexOf(name) + 1);
          const once = rename(words.join(by));
          expect(once).toBe(words.map((word) => (known.includes(word) ? `agent${known.indexOf(word) + 1}` : word)).join(by));
          expect(rename(once)).toBe(once);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it('is found in little time', () => {
    const startMs = performance.now();
    for (const piece of ['opus-1', 'opus', '-', 'opus-1 ']) hide(piece.repeat(200_000));
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});
