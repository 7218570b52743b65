import { z } from 'zod';
import { isJsonObject, type Json } from '../../core/index.ts';
import { defineTool, fail, succeed, type ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { checkRepository, failGit } from './check-repository.ts';
import { isBranchName, isRemoteName } from './git-names.ts';
import { askGithub, explainGithub, whyNoGithub } from './github-api.ts';
import { type GithubRepository, parseGithubUrl } from './github-repository.ts';

const created = 201;
const fine = 200;

const branch = z.string().refine(isBranchName, 'is no name of a branch');

const parameters = z.strictObject({
  title: z.string().trim().min(1).max(250).describe('One line.'),
  body: z.string().max(60_000).default('').describe('What was done and why, in Markdown.'),
  base: branch.default('main').describe('The branch that the work is to go into.'),
  head: branch.optional().describe('The branch with the work, already pushed; default: the one that is checked out.'),
  draft: z.boolean().default(true).describe('Not yet for review; default: true.'),
  remote: z.string().refine(isRemoteName, 'is no name of a remote').default('origin').describe('The remote that is on GitHub.'),
});

type Args = z.infer<typeof parameters>;

export const githubCreatePrTool = defineTool<Args>({
  name: 'github_create_pr',
  group: 'github',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  description: 'Opens a pull request on GitHub for a branch that was pushed. Where one is open already, its address is returned.',
  parameters,
  whyMissing: whyNoGithub,
  run: async (args, context) => {
    const place = await findPlace(args, context);
    if ('refusal' in place) return place.refusal;
    const { repository, head } = place;
    if (head === args.base) return fail(`${head} cannot go into itself.`, 'Push your work under a branch of its own, and name it as head.');
    const open = await findOpen(repository, head, args.base, context);
    if ('refusal' in open) return open.refusal;
    if (open.url !== null) return succeed(`There is a pull request for ${head} already: ${open.url}`, { url: open.url, created: false });
    return create(args, repository, head, context);
  },
});

type Place = { readonly repository: GithubRepository; readonly head: string } | { readonly refusal: ToolResult };

async function findPlace({ head, remote }: Args, context: ToolContext): Promise<Place> {
  const opened = await checkRepository(context);
  if (!opened.ok) return { refusal: opened.refused };
  const { git } = opened.value;
  const address = await git(['remote', 'get-url', '--', remote]);
  if (!address.ok) return { refusal: failGit(address, 'Add the remote with git_remote_add.') };
  const repository = parseGithubUrl(address.stdout.trim(), context.env);
  if (repository === null) return { refusal: fail(`The remote ${remote} is not on GitHub.`, 'Pull requests can only be opened there.') };
  const current = head ?? (await git(['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout.trim();
  if (!isBranchName(current)) return { refusal: fail('No branch is checked out.', 'Name the branch as head.') };
  return { repository, head: current };
}

type Open = { readonly url: string | null } | { readonly refusal: ToolResult };

async function findOpen({ owner, name }: GithubRepository, head: string, base: string, context: ToolContext): Promise<Open> {
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${head}`, base });
  const answer = await askGithub({ method: 'GET', path: `/repos/${owner}/${name}/pulls?${query}` }, context);
  if ('refusal' in answer) return answer;
  if (answer.status !== fine) return { refusal: explainGithub(answer.status, answer.body, context.env) };
  return { url: Array.isArray(answer.body) ? (answer.body.map(toUrl).find((url) => url !== null) ?? null) : null };
}

async function create(args: Args, { owner, name }: GithubRepository, head: string, context: ToolContext): Promise<ToolResult> {
  const { title, body, base, draft } = args;
  const answer = await askGithub(
    { method: 'POST', path: `/repos/${owner}/${name}/pulls`, body: { title, body, base, head, draft } },
    context,
  );
  if ('refusal' in answer) return answer.refusal;
  if (answer.status !== created) return explainGithub(answer.status, answer.body, context.env);
  const url = toUrl(answer.body);
  if (url === null) return fail('GitHub opened the pull request, but does not say where it is.', 'A person has to look.');
  return succeed(`Opened ${draft ? 'the draft ' : ''}${url}`, { url, created: true });
}

function toUrl(body: Json): string | null {
  const url = isJsonObject(body) ? body['html_url'] : undefined;
  return typeof url === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(url) ? url : null;
}
