import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page whose policy is off: axe is a script that it does not know. */
export const WITHOUT_POLICY = { bypassCSP: true } as const;

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Everything on the page that somebody cannot see, reach or hear, as axe finds it; empty is good. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary.replaceAll('\n', '\n  ')}`),
  );
}
