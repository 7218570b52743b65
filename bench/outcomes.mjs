import { CASES } from './outcomes/cases.mjs';
import { createColumns } from './outcomes/columns.mjs';
import { runCase } from './outcomes/run-case.mjs';
import { toFigures, toMarkdown } from './outcomes/table.mjs';

/** The names that `--agents` chooses from. */
export const AGENTS = CASES.map(({ name }) => name);

/**
 * Forty scripted agents that fail in ten ways, through shell loops, the peer (where its binary is given) and Ralph: bench/README.md says what each is and how the
 * truth is found out.
 *
 * @param options.agents plays only agents whose name has one of these texts
 * @param options.only names of columns
 * @returns the tables as Markdown, and what they were made of
 */
export async function benchOutcomes({ peer, agents, only, say = () => undefined } = {}) {
  const columns = createColumns(peer).filter(({ name }) => only === undefined || only.includes(name));
  const cases = CASES.filter(({ name }) => agents === undefined || agents.some((text) => name.includes(text)));
  const results = [];
  for (const played of cases) {
    for (const column of columns) {
      const { output, ...result } = await runCase(played, column);
      results.push({ name: played.name, family: played.family, column: column.name, ...result });
      say(`${played.name} ${column.name}: ${JSON.stringify(result)}\n`, output);
    }
  }
  const totals = Object.fromEntries(columns.map(({ name }) => [name, toFigures(results.filter((one) => one.column === name))]));
  return { markdown: toMarkdown(columns, results), data: { agents: cases.length, totals, results } };
}
