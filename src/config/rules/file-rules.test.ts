import { describe, expect, it } from 'vitest';
import { inFolder, loadSettings, tokenAt } from '../config-fixtures.ts';

/** The findings of a `ralph.yml` beside these files, each as `severity code token`. */
function findingsWith(
  yaml: string,
  files: Readonly<Record<string, string>> = {},
  flags: { readonly prompt?: string } = {},
): readonly string[] {
  return inFolder({ 'ralph.yml': yaml, ...files }, (cwd) =>
    loadSettings({ cwd, flags, prompt: 'optional' }).diagnostics.map(
      (diagnostic) => `${diagnostic.severity} ${diagnostic.code} ${tokenAt(yaml, diagnostic)}`,
    ),
  );
}

describe('prompt-file-missing', () => {
  const yaml = 'event_loop:\n  prompt_file: tasks/today.md\n';

  it('refuses a file that the configuration names and that is not there, at its name', () => {
    expect(findingsWith(yaml)).toEqual(['error prompt-file-missing tasks/today.md']);
    expect(findingsWith(yaml, { 'tasks/today.md/x': '' })).toEqual(['error prompt-file-missing tasks/today.md']);
  });

  it('is silent where the file is there, the prompt is given elsewhere, or the default is missing', () => {
    expect(findingsWith(yaml, { 'tasks/today.md': 'Do it.' })).toEqual([]);
    expect(findingsWith(yaml, {}, { prompt: 'Do it.' })).toEqual([]);
    expect(findingsWith('')).toEqual([]);
    expect(findingsWith('event_loop: {prompt_file: PROMPT.md}')).toEqual([]);
    expect(findingsWith('event_loop: {prompt_file: ./PROMPT.md}')).toEqual([]);
    expect(findingsWith('event_loop: {prompt_file: "a\\0b"}')).toEqual(['error type-invalid "a\\0b"']);
  });
});

describe('hook-file-missing', () => {
  const hooks = (handler: string): string => `hooks:\n  PreToolUse:\n    - matcher: "*"\n      handler: ${handler}\n`;
  const missing = (handler: string) => findingsWith(hooks(handler)).filter((line) => !line.startsWith('note'));

  it('refuses a path that leads to no file, from the folder of the configuration', () => {
    expect(missing('./hooks/audit.mjs')).toEqual(['error hook-file-missing ./hooks/audit.mjs']);
    expect(missing('./hooks/audit.mjs#check')).toEqual(['error hook-file-missing ./hooks/audit.mjs#check']);
    expect(missing('"../audit.sh"')).toEqual(['error hook-file-missing "../audit.sh"']);
    expect(missing('/no/such/file.sh')).toEqual(['error hook-file-missing /no/such/file.sh']);
  });

  it('finds it for hats and Ralph, and under `override`', () => {
    const yaml = [
      'hats:',
      '  a:',
      '    triggers: [x]',
      '    hooks: {PostToolUse: {override: true, hooks: [{handler: ./a.sh}]}}',
      'ralph:',
      '  hooks: {Stop: [{command: ./r.sh}]}',
    ].join('\n');
    const errors = findingsWith(yaml).filter((line) => line.startsWith('error'));
    expect(errors).toEqual(['error hook-file-missing ./a.sh', 'error hook-file-missing ./r.sh']);
    expect(findingsWith(yaml, { 'a.sh': '', 'r.sh': '' }).filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('keeps the note that hooks are not read', () => {
    expect(findingsWith(hooks('./a.mjs'), { 'a.mjs': '' })).toEqual(['note key-ignored hooks']);
    expect(findingsWith(hooks('./a.mjs#check'), { 'a.mjs': '' })).toEqual(['note key-ignored hooks']);
  });

  it.each([
    '"massgen.hooks.audit_all_tools"',
    'custom_write_hook.py',
    '"npm run lint -- ./src"',
    '"./check.sh --strict"',
    'pkg#name',
    '"./$HOOKS/a.sh"',
    '12',
    '[./x.sh]',
    '{}',
    '""',
  ])('takes %s for no file', (handler) => {
    expect(missing(handler)).toEqual([]);
  });

  it.each(['hooks: ', 'hooks: [a]', 'hooks: x', 'hooks: {PreToolUse: x}', 'hooks: {PreToolUse: {hooks: x}}', 'hooks: {a: [1, [2], null]}'])(
    'survives `%s`',
    (yaml) => {
      expect(findingsWith(yaml)).toEqual(['note key-ignored hooks']);
    },
  );

  it('does not ask about a hook that is switched off', () => {
    expect(findingsWith('hooks: {PreToolUse: [{handler: ./x.sh, enabled: false}]}')).toEqual(['note key-ignored hooks']);
  });
});
