import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { END_REASONS } from '../../src/core/run/end-reasons.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function listPages(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const PAGES = [
  'README.md',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  'fixtures/transcripts/README.md',
  ...listPages('docs'),
];

test('every relative link of README and docs leads to a file', () => {
  const broken: string[] = [];
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const match of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const target = (match[1] as string).split('#')[0] as string;
      if (target === '' || /^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(ROOT, dirname(page), target))) broken.push(`${page}: ${match[1]}`);
    }
  }
  expect(broken).toEqual([]);
});

test('every `ralph` command that README and docs show exists', () => {
  const commands = readdirSync(join(ROOT, 'src/cli/commands'), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
    .map((name) => basename(name).replace(/(-command)?\.ts$/, ''))
    .concat('help');
  const unknown: string[] = [];
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const shown = [
      ...text.matchAll(/^\s*(?:\$ )?(?:node bin\/ralph\.js|ralph|npx ralph-hats) ([a-z]+)\b/gm),
      ...text.matchAll(/`ralph ([a-z]+)\b[^`]*`/g),
    ];
    for (const match of shown) if (!commands.includes(match[1] as string)) unknown.push(`${page}: ralph ${match[1]}`);
  }
  expect(unknown).toEqual([]);
});

test('the table of end reasons is the one in the code', () => {
  const page = readFileSync(join(ROOT, 'docs/exit-codes.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.*?) \| (.*?) \|$/gm)].map((match) => [
    match[1],
    { exitCode: Number(match[2]), text: match[3], next: match[4]?.trim() ?? '' },
  ]);
  expect(Object.fromEntries(rows)).toEqual(END_REASONS);
});

test('AGENTS.md stays short enough to be read', () => {
  expect(readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(121);
});

test('every npm script that the pages for developers name exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const named = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'bench/README.md'].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run ([a-z0-9:]+)/g)].map((match) => match[1] as string),
  );
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
