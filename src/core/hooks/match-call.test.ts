import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns, propertySize } from '../property-fixtures.ts';
import type { JsonObject } from '../values/json.ts';
import { readCalledTool } from './called-tool.ts';
import { createCallMatcher } from './match-call.ts';

const WORKSPACE = '/ws/app';

function ask(rule: string, tool: string, input: JsonObject, realPath?: string): readonly ['touches' | '-', 'covers' | '-'] {
  const matcher = createCallMatcher(rule);
  if (matcher === null) throw new Error(`${rule} cannot be read`);
  const call = readCalledTool({ tool, input, workspace: WORKSPACE, ...(realPath === undefined ? {} : { realPath }) });
  return [matcher.touches(call) ? 'touches' : '-', matcher.covers(call) ? 'covers' : '-'];
}

const BOTH = ['touches', 'covers'];
const TOUCHES = ['touches', '-'];
const NEITHER = ['-', '-'];
const bash = (rule: string, command: string) => ask(rule, 'bash', { command });
const write = (rule: string, path: string, realPath?: string) => ask(rule, 'write_file', { path, content: '' }, realPath);

describe('a rule', () => {
  it('is about every call of a tool where it has no pattern', () => {
    expect(bash('bash', 'npm test; rm -rf /')).toEqual(BOTH);
    expect(bash('Bash(*)', 'ls')).toEqual(BOTH);
    expect(bash('*', 'ls')).toEqual(BOTH);
    expect(bash('write_file|bash', 'ls')).toEqual(BOTH);
    expect(bash('write_file', 'ls')).toEqual(NEITHER);
  });

  it('is none where it cannot be read', () => {
    const wrong = [
      '',
      '  ',
      '|',
      '(x)',
      'bash(',
      'bash()',
      'bash(x',
      'bash(x) y',
      'bash)',
      're:bash',
      'write_file(a)|bash(b)',
      `bash(${'x'.repeat(2000)})`,
    ];
    expect(wrong.filter((rule) => createCallMatcher(rule) !== null)).toEqual([]);
  });

  it('may have brackets in its pattern', () => {
    expect(bash('bash(node -e "f(1)")', 'node -e "f(1)"')).toEqual(BOTH);
  });
});

describe('a rule about a command line', () => {
  it('allows one command, and none with another one in it', () => {
    expect(bash('bash(npm test*)', 'npm test -- --watch')).toEqual(BOTH);
    for (const rest of [
      '; rm -rf /',
      ' && rm x',
      ' | sh',
      '\nrm x',
      ' $(rm x)',
      ' `rm x`',
      ' > /etc/x',
      ' <(rm x)',
      ' & rm x',
      ' $HOME',
      ' \\\nrm x',
      '\u2028rm',
    ])
      expect([rest, bash('bash(npm test*)', `npm test${rest}`)[1]]).toEqual([rest, '-']);
  });

  it('allows a line of many commands only where it is written out', () => {
    expect(bash('bash(npm test && npm run lint)', 'npm test && npm run lint')).toEqual(BOTH);
    expect(bash('bash(npm test && npm run *)', 'npm test && npm run lint')).toEqual(TOUCHES);
  });

  it('is touched by every part of the line, whatever stands around it', () => {
    const lines = [
      'rm -rf x',
      'ls; rm -rf x',
      'ls\nrm  -rf x',
      'ls && /bin/rm -rf x',
      'echo $(rm -rf x)',
      'echo `rm -rf x`',
      'A=1 B=2 rm -rf x',
      'A="b c" rm -rf x',
      "A='b c' sudo rm -rf x",
      '>"a b" rm -rf x',
      'A="b; c" rm -rf x',
      'A=\'b\nc\' B="d|e" rm -rf x',
      'sudo -u root rm -rf x',
      'for f in *; do rm -rf "$f"; done',
      'case x in x) rm -rf y;; esac',
      '! time rm -rf x',
      'sh -c "cd y; rm -rf x"',
      "r'm' -rf x",
      'r\\m -rf x',
      'r\\\nm -rf x',
      '>out rm -rf x',
      'if true; then rm -rf x; fi',
      'find . -name y -exec rm -rf x {} +',
      'ls | xargs rm -rf',
      "echo # '\nrm -rf x\n# '",
    ];
    expect(lines.filter((line) => bash('bash(rm -rf*)', line)[0] === '-')).toEqual([]);
    expect(bash('bash(rm -rf*)', 'npm test -- rm')).toEqual(NEITHER);
  });

  it('is touched where a pattern wants an argument that the line only stands for', () => {
    const lines = [
      'find v -exec rm -rf {} +',
      'find . -name v -exec rm -rf {} \\;',
      'echo v | xargs rm -rf',
      'echo v | xargs -n1 /bin/rm -rf',
      '{rm,-rf,v}',
    ];
    expect(lines.filter((line) => bash('bash(rm -rf *)', line)[0] === '-')).toEqual([]);
  });

  it('is touched whatever redirections, variables and quotes stand before the command', () => {
    const lines = [
      '2>&1 rm -rf v',
      '>|out rm -rf v',
      '>o 2>&1 rm -rf v',
      '&>o rm -rf v',
      '<&0 rm -rf v',
      'sh -c "2>&1 rm -rf v"',
      "$'rm' -rf v",
      '$"rm" -rf v',
      "$'\\x72m' -rf v",
      "$'\\162\\u006d' -rf v",
      'A=$(true)x rm -rf v',
      `A=\${B}x rm -rf v`,
      'A="("b rm -rf v',
      'A=`true`x rm -rf v',
      'A="$(echo ")")" rm -rf v',
      'FOO="a;b"c rm -rf v',
      'A=a\\;b rm -rf v',
      'a[0]=1 rm -rf v',
      'ls; A=$(true)x rm -rf v',
      "sh -c 'A=$(true)x rm -rf v'",
      "trap 'rm -rf v' EXIT",
      'taskset 1 rm -rf v',
    ];
    expect(lines.filter((line) => bash('bash(rm -rf *)', line)[0] === '-')).toEqual([]);
    for (const line of ['grep -rn "rm -rf" src', 'A=1 ls -rf v', 'echo done > rm', 'find . -name "*.ts" -exec wc -l {} +'])
      expect(bash('bash(rm -rf *)', line)).toEqual(NEITHER);
  });

  it('is touched by a command that too much stands before', () => {
    expect(bash('bash(rm*)', `env ${'A=1 '.repeat(100)}x`)[0]).toBe('touches');
    expect(bash('bash(rm*)', `echo ${'word '.repeat(100)} > "a b"`)[0]).toBe('-');
  });

  it('takes `:*` as Claude Code does', () => {
    expect(bash('Bash(git push:*)', 'git push')).toEqual(BOTH);
    expect(bash('Bash(git push:*)', 'git push origin main')).toEqual(BOTH);
    expect(bash('Bash(git push:*)', 'git pushx')).toEqual(NEITHER);
  });

  it('is touched by a line that is too long to be looked into, and allows none', () => {
    const limit = propertySize(10_000_000);
    for (const line of ['x'.repeat(limit), 'x;'.repeat(limit / 2), 'sudo '.repeat(limit / 5), '\u0000'.repeat(limit)])
      expect(bash('bash(rm*)', `${line}${'y;z'.repeat(40_000)}`)).toEqual(TOUCHES);
  });

  it('is asked soon, whatever the line is made of', () => {
    const limit = propertySize(100_000);
    const marks = [
      'A="',
      'a=b ',
      '>',
      '"',
      "'a ",
      '\\',
      '> ',
      'A=',
      '1',
      'a;',
      '\\\n',
      'A="b" ',
      '1> a ',
      ' ',
      '> \t',
      '/',
      '$(',
      'sudo ',
      '{,',
      ',',
      "$'",
      '>&',
      '2>&1 ',
      ';A=$(',
    ];
    const startedAt = performance.now();
    for (const mark of marks) bash('bash(rm*)', mark.repeat(Math.floor(limit / mark.length)));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('a rule about a file', () => {
  it('takes every way to write its path', () => {
    for (const path of ['src/a.ts', './src/a.ts', 'src//a.ts', 'x/../src/a.ts', `${WORKSPACE}/src/a.ts`, '../app/src/./a.ts'])
      for (const rule of [
        'write_file(src/**)',
        'Write(./src/a.ts)',
        'write_file(/ws/app/src/*)',
        'write_file(src/)',
        'write_file(y/../src/*)',
      ])
        expect([rule, path, write(rule, path)]).toEqual([rule, path, BOTH]);
  });

  it('does not take another one', () => {
    for (const path of ['src/../a.ts', 'srca.ts', '/src/a.ts', '../src/a.ts', 'lib/src/a.ts'])
      expect([path, write('write_file(src/**)', path)]).toEqual([path, NEITHER]);
  });

  it('may be outside of the workspace', () => {
    expect(write('write_file(../other/*)', '/ws/other/a')).toEqual(BOTH);
    expect(write('write_file(/etc/*)', '../../etc/passwd')).toEqual(BOTH);
  });

  it('is touched where a link leads, and allows no link', () => {
    expect(write('write_file(secret/*)', 'link/a', '/ws/app/secret/a')).toEqual(TOUCHES);
    expect(write('write_file(link/*)', 'link/a', '/ws/app/secret/a')).toEqual(TOUCHES);
    expect(write('write_file(link/*)', 'link/a', '/ws/app/link/a')).toEqual(BOTH);
  });

  it('takes the folder itself for what is in it where it denies', () => {
    expect(ask('list_files(secret/**)', 'list_files', { path: 'secret' })).toEqual(TOUCHES);
    expect(ask('grep(.)', 'grep', { pattern: 'x' })).toEqual(BOTH);
  });

  it('allows a list of files only where it names all of them', () => {
    expect(ask('git_commit(src/*)', 'git_commit', { paths: ['src/a', 'b'] })).toEqual(TOUCHES);
    expect(ask('git_commit(src/*)', 'git_commit', { paths: ['src/a', 'src/b'] })).toEqual(BOTH);
    expect(ask('git_commit(src/*)', 'git_commit', {})).toEqual(NEITHER);
  });
});

describe('a rule about another argument', () => {
  it('takes an address as programs read it', () => {
    expect(ask('web_fetch(https://example.com/*)', 'web_fetch', { url: 'HTTPS://EXAMPLE.com/x' })).toEqual(BOTH);
    expect(ask('WebFetch(domain:example.com)', 'web_fetch', { url: 'https://example.com:8443/x' })).toEqual(BOTH);
    expect(ask('web_fetch(https://example.com*)', 'web_fetch', { url: 'https://example.com@evil.org/' })).toEqual(TOUCHES);
  });

  it('takes any text of a tool that is not its own, and allows only where it names all', () => {
    expect(ask('mcp__db__*(*drop*)', 'mcp__db__run', { a: { b: ['select', 'drop table'] } })).toEqual(TOUCHES);
    expect(ask('mcp__db__*(select*)', 'mcp__db__run', { sql: 'select 1' })).toEqual(BOTH);
    expect(ask('mcp__db__*(select*)', 'mcp__db__run', { limit: 1 })).toEqual(NEITHER);
  });

  it('denies and does not allow what it cannot tell', () => {
    expect(ask('git_push(main)', 'git_push', {})).toEqual(TOUCHES);
    expect(ask('write_file(x)', 'write_file', { path: 7 })).toEqual(TOUCHES);
    const deep = Array.from({ length: 50 }).reduce<JsonObject>((inner) => ({ inner }), { text: 'x' });
    expect(ask('mcp__a__b(y)', 'mcp__a__b', deep)).toEqual(TOUCHES);
  });
});

describe('laws of rules', () => {
  const word = fc.constantFrom(
    'rm',
    'ls',
    'npm',
    'test',
    '-rf',
    '/',
    'x',
    '*',
    '"',
    "'",
    '$',
    '(',
    ')',
    ';',
    '&&',
    '|',
    '\n',
    '`',
    '<',
    '>',
    '\\',
    '{',
    'é',
    '\u0007',
  );
  const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));

  it('what a rule allows it would also deny', () => {
    fc.assert(
      fc.property(line, fc.array(word, { minLength: 1, maxLength: 4 }), (command, words) => {
        const matcher = createCallMatcher(`bash(${words.join(' ')})`);
        const call = readCalledTool({ tool: 'bash', input: { command }, workspace: WORKSPACE });
        return matcher === null || !matcher.covers(call) || matcher.touches(call);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('a command is found behind whatever stands before it', () => {
    fc.assert(
      fc.property(line, fc.constantFrom(';', '&&', '||', '|', '\n', '$(', '`', '&'), line, (before, mark, behind) => {
        expect(bash('bash(dangerous*)', `${before}${mark}dangerous ${behind}`)[0]).toBe('touches');
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('a pattern of many stars says the same as the slow way to read it', () => {
    const text = fc.stringMatching(/^[ab/ ]{0,20}$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*]{1,8}$/), text, (pattern, query) => {
        const fast = ask(`web_search(${pattern})`, 'web_search', { query });
        expect(ask(`web_search(${pattern.replace('a', '[a]')})`, 'web_search', { query })).toEqual(fast);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
