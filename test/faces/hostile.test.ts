/** What agents write is text: whatever it is, it runs nothing, loads nothing, hides nothing, and the page can be used beside it. */
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { CHROMIUM } from './browser.ts';
import { enterRun, rowOf, says, withWeb } from './web-place.ts';

/** Where one of these is run, `hacked` is set; where one is loaded, something is asked of a host that is not ours. */
const SCRIPTS = [
  '<script>hacked=1</script><img src=http://evil.test/x onerror=hacked=1><svg onload=hacked=1></svg>',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe><a href="javascript:hacked=1">click</a>',
  '<style>main{display:none}</style>$',
  '{hacked=1}{{hacked=1}}</script></style></textarea></pre><!--',
].join('');
const ODD = '\u001b[31mred\u001b[2J\u001b]8;;http://evil.test\u0007link\u202egpj.exe\u2066x\u0000\u009b31m\u200f';
const HOSTILE = `${SCRIPTS} ${ODD}`;

/** As a configuration says a `$`. */
const IN_YAML = SCRIPTS.replaceAll('$', '$$$$');

const TEAM = `
cli: {backend: custom, command: ./agent.mjs, output_format: stream}
gates:
  - {name: '<b onclick=hacked=1>tests', run: node gate.mjs, on: [build.done]}
event_loop: {prompt: ${JSON.stringify(`Title ${IN_YAML}`)}, max_iterations: 9}
hats:
  planner:
    name: ${JSON.stringify(`Planner ${IN_YAML}`)}
    description: ${JSON.stringify(IN_YAML)}
    triggers: [task.start, task.resume, build.blocked]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [LOOP_COMPLETE]
`;

/** Speaks as the claude CLI does. Each hat writes what it may where it may: words, payloads, topics, names of tools and files, questions and choices. */
const AGENT = `#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
const hostile = JSON.parse(readFileSync('hostile.json', 'utf8'));
const line = (value) => console.log(JSON.stringify(value));
const emit = (topic, payload) => appendFileSync(process.env.RALPH_EVENTS_FILE, JSON.stringify({ topic, payload }) + '\\n');
const say = (content) => line({ type: 'assistant', message: { id: 'm' + Math.random(), role: 'assistant', content }, session_id: 's' });
const end = (result) => line({ type: 'result', subtype: 'success', is_error: false, result, session_id: 's', total_cost_usd: 0.1 });
line({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] });
say([{ type: 'text', text: 'words ' + hostile }]);
say([{ type: 'tool_use', id: 't1', name: 'Bash' + hostile, input: { command: 'echo ' + hostile, file_path: hostile } }]);
line({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: hostile }] } });
const hat = process.env.RALPH_HAT;
if (hat === 'planner' && !existsSync('asked')) {
  writeFileSync('asked', '');
  for (const name of ['<img src=x onerror=hacked=1>.txt', '\\u202egpj.exe', 'a\\u001b[31mb', 'new\\nline']) writeFileSync(name, hostile + '\\n');
  emit('build.' + hostile, hostile);
  emit('build.task', hostile);
  console.error(hostile);
  execFileSync(process.env.RALPH_BIN, ['ask', 'May I? ' + hostile.replaceAll('\\0', ''), '--choices', 'yes,<img src=x onerror=hacked=1>\\u202egpj\\u001b[31m', '--default', 'yes']);
  end('words');
} else if (hat === 'planner') {
  writeFileSync('fixed', '');
  emit('build.task', { nested: hostile });
  end(hostile);
} else if (hat === 'builder') {
  emit('build.done', hostile);
  end(hostile);
} else {
  if (!existsSync('long')) {
    writeFileSync('long', '');
    process.stdout.write('{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"');
    for (let piece = 0; piece < 100; piece += 1) process.stdout.write('x'.repeat(1_000_000));
    process.stdout.write('"}]}}\\n');
    for (let piece = 0; piece < 20_000; piece += 1) say([{ type: 'text', text: 'line ' + piece + ' ' + hostile }]);
  }
  say([{ type: 'text', text: 'LOOP_COMPLETE' }]);
  end('LOOP_COMPLETE');
}
`;
const GATE = `import { existsSync, readFileSync } from 'node:fs';
console.log('not ok 1 - ' + JSON.parse(readFileSync('hostile.json', 'utf8')));
process.exit(existsSync('fixed') ? 0 : 1);
`;

/** What may be in a page that is shown: no sign that hides or turns, and no element that is not its own. */
async function expectHarmless(page: Page, what: string): Promise<void> {
  const found = await page.evaluate<unknown>(`(() => {
    const signs = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/;
    const own = (element) => [...element.attributes].map(({ value }) => value).join('') + [...element.childNodes].map((node) => (node.nodeType === 3 ? node.data : '')).join('');
    return {
      hacked: typeof hacked,
      foreign: [...document.querySelectorAll('main :is(script, img, iframe, style, object, embed, link, base), main a[href]:not([href^="#/run/"])')].map(({ outerHTML }) => outerHTML),
      signs: [...document.querySelectorAll('#root *')].filter((element) => signs.test(own(element))).map(({ outerHTML }) => outerHTML.slice(0, 120)),
    };
  })()`);
  expect.soft([what, found]).toEqual([what, { hacked: 'undefined', foreign: [], signs: [] }]);
}

describe.skipIf(CHROMIUM === '')('hostile words', () => {
  test('are shown as words, everywhere they come', async () => {
    const files = { 'ralph.yml': TEAM, 'agent.mjs': AGENT, 'gate.mjs': GATE, 'hostile.json': JSON.stringify(HOSTILE) };
    await withWeb(files, async (place) => {
      chmodSync(join(place.folder, 'agent.mjs'), 0o755);
      execFileSync('git', ['init', '-q'], { cwd: place.folder });
      const { page, problems } = await place.open();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).host));
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => asked.push('dialog')));
      const run = place.start('run', '--no-tui');
      await Promise.race([
        says(page, '.runs', 'May I?'),
        run.done.then(({ stderr, stdout }) => Promise.reject(new Error(stdout + stderr))),
      ]);
      await says(page, '.runs', '<script>hacked=1</script>');
      await expectHarmless(page, 'the list');
      await enterRun(page);
      await says(page, '.question', '<img src=x onerror=hacked=1>');
      await expectHarmless(page, 'a question');
      await page.locator('#tell-text').fill(SCRIPTS);
      await page.getByRole('button', { name: 'Tell', exact: true }).click();
      await says(page, '.told', '<script>');
      await page.getByRole('button', { name: '<img src=x onerror=hacked=1>gpj' }).click();
      await run.done;
      await says(page, '.run-header', 'completed');
      await expectHarmless(page, 'the run');
      await page.locator('.graph summary').click();
      for (const turn of await page.locator('#turns .row .name').allTextContents()) {
        await rowOf(page, turn).click();
        await says(page, '#turn-title', `Turn ${turn}`);
        for (const tab of ['why', 'output', 'prompt', 'diff', 'calls']) {
          await page.getByRole('tab', { name: tab }).click();
          await says(page, '#turn-panel', /^(?!Loading)/);
          await expectHarmless(page, `${turn} ${tab}`);
        }
      }
      await rowOf(page, '1').click();
      await page.getByRole('tab', { name: 'diff' }).click();
      await says(page, '#turn-panel', 'onerror=hacked=1>.txt');
      await page.getByRole('tab', { name: 'calls' }).click();
      await says(page, '#turn-panel', 'Bash<script>');
      await page.locator('.search input').fill('hacked=1');
      await page.locator('.search input').press('Enter');
      await says(page, '.search', 'lines, the newest turn first');
      await expectHarmless(page, 'search');
      expect(new Set(asked)).toEqual(new Set([new URL(place.web.url).host]));
      expect(problems).toEqual([]);
    });
  });

  test('of 100 MB on one line leave the page as quick as it was', async () => {
    const body = `echo first; head -c 100000000 /dev/zero | tr '\\0' x; printf '\\nneedle at the end\\n'; [ -e again ] && echo LOOP_COMPLETE; touch again`;
    await withWeb(toFiles('gates: []\nevent_loop: {prompt: Speak, max_iterations: 3}\n', body), async (place) => {
      await place.ralph('run', '--no-tui');
      const { page, problems } = await place.open();
      await enterRun(page);
      await page.getByRole('tab', { name: 'output' }).click();
      await says(page, '#turn-panel', 'needle at the end');
      await says(page, '#turn-panel', /Earlier \(\d+/);
      for (let presses = 0; presses < 4; presses += 1) await page.getByRole('button', { name: /Earlier/ }).click();
      const before = performance.now();
      await page.getByRole('tab', { name: 'why' }).click();
      await says(page, '#turn-panel', 'succeeded');
      expect(performance.now() - before).toBeLessThan(3000);
      await page.locator('.search input').fill('needle');
      await page.locator('.search input').press('Enter');
      await page.getByRole('button', { name: 'turn 1, output' }).click();
      await says(page, '#turn-title', 'Turn 1');
      await says(page, '#turn-panel', 'needle at the end');
      expect(await page.evaluate<number>('document.body.textContent.length')).toBeLessThan(2_000_000);
      expect(problems).toEqual([]);
    });
  });
});
