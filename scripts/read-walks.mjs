/** The walks through the code that ARCHITECTURE.md describes: under `## Walks` a heading each, and in its text the files in order, in backticks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.mjs';

/** @returns {{ title: string, paths: string[] }[]} */
export function readWalks(root) {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const section = /^## Walks$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page)?.[1] ?? '';
  return section
    .split(/^### /m)
    .slice(1)
    .map((part) => ({
      title: part.split('\n', 1)[0],
      paths: [...new Set([...part.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, path]) => path))],
    }));
}

/** Files that a walk, or a recipe of AGENTS.md, names and that are not there. */
export function findNameGaps() {
  const recipes = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').matchAll(/`(src\/[\w./-]+\.ts)`/g);
  const named = [
    ...readWalks(ROOT).map(({ title, paths }) => ({ place: `ARCHITECTURE.md, "${title}"`, paths })),
    { place: 'AGENTS.md', paths: [...recipes].map(([, path]) => path) },
  ];
  return named.flatMap(({ place, paths }) =>
    paths
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${place}: there is no ${path}; name the file that does its part now`),
  );
}
