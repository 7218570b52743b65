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
