import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every file and package that is loaded together with a file: what it imports when it runs, and so on. */
function listLoaded(entry: string): readonly string[] {
  const loaded = new Set<string>();
  const pending = [join(ROOT, entry)];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const name = relative(ROOT, file);
    if (loaded.has(name)) continue;
    loaded.add(name);
    for (const [, what = '', from = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) ([^;]*?)from '([^']+)';$/gms)) {
      if (/^type\b/.test(what) || /^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(what)) continue;
      if (from.startsWith('.')) pending.push(resolve(dirname(file), from));
      else loaded.add(from);
    }
  }
  return [...loaded];
}

/** They are called at every keystroke. */
test.each(['validate', 'explain', 'graph', 'hats', 'trace'])(
  'ralph %s loads neither the composition root nor a schema library',
  (command) => {
    const loaded = [...listLoaded('src/cli/command-line.ts'), ...listLoaded(`src/cli/commands/${command}-command.ts`)];
    expect(loaded).toContain('src/core/values/errors.ts');
    expect(
      loaded.filter((name) => /^src\/(app|loop|backends|journal|tui|web-server|testing)\//.test(name) || /^(zod|yaml)\b/.test(name)),
    ).toEqual([]);
  },
);

test('ralph validate loads what only some of its forms need when it is asked for them', () => {
  const loaded = listLoaded('src/cli/commands/validate-command.ts');
  expect(loaded.filter((name) => /ci-reports|watch|fix-targets|rule-pages/.test(name))).toEqual([]);
});
