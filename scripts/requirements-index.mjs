/** The index of the requirements, docs/requirements.md, made from the record of them, test/contract/requirements.md. Written by scripts/docs.mjs. */
import { readFileSync } from 'node:fs';

export const INDEX_PAGE = 'docs/requirements.md';
const RECORD = 'test/contract/requirements.md';

const INTRODUCTION = `# What was asked for

<!-- Written by \`npm run docs\` from ${RECORD}. Do not edit. -->

Five plans and nine laws stand behind what there is. [The record](../${RECORD}) has each requirement with the tests that show it;
\`test/contract/requirements.test.ts\` holds it to them: none is missing, and every test exists, is run, asserts something and names its requirement.

| part | requirements | tests | where most of them are |
|---|---|---|---|
`;

/** The page, with a row for each part of the record. */
export function renderRequirementsIndex() {
  const parts = [];
  let plan = '';
  for (const line of readFileSync(new URL(`../${RECORD}`, import.meta.url), 'utf8').split('\n')) {
    const [, marks = '', title = ''] = /^(##|###) (.*)$/.exec(line) ?? [];
    if (marks === '##') plan = title;
    if (title !== '') parts.push({ title: marks === '##' ? plan : `${plan}: ${title}`, requirements: 0, files: [] });
    const [id, , , file = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const part = parts.at(-1);
    if (part === undefined || !file.startsWith('`')) continue;
    part.files.push(file.replaceAll('`', ''));
    if (id !== '') part.requirements += 1;
  }
  const rows = parts.filter(({ requirements }) => requirements > 0).map(renderRow);
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

function renderRow({ title, requirements, files }) {
  return `| ${title} | ${requirements} | ${files.length} | ${listFolders(files).join(', ')} |`;
}

/** The two folders in which most of the tests are. */
function listFolders(files) {
  const counts = new Map();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const folders = [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
  return folders.slice(0, 2).map(([folder]) => `\`${folder}\``);
}
