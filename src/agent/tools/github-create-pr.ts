import { z } from 'zod';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { defineTool, fail, failWith, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { checkRepository } from './git/check-repository.ts';
import { isBranchName, isRemoteName } from './git/git-names.ts';
import { askGithub, explainGithub, type GithubRepository, parseGithubUrl, whyNoGithub } from './git/github-api.ts';

const CREATED = 201;
const FINE = 200;

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
    if (!place.ok) return failWith(place.refused);
    const { repository, head } = place.value;
    if (head === args.base) return fail(`${head} cannot go into itself.`, 'Push your work under a branch of its own, and name it as head.');
    const open = await findOpen(repository, head, args.base, context);
    if (!open.ok) return failWith(open.refused);
    const url = open.value;
    if (url !== null) return succeed(`There is a pull request for ${head} already: ${url}`, { url, created: false });
    return create(args, repository, head, context);
  },
});

interface PullRequestPlace {
  readonly repository: GithubRepository;
  readonly head: string;
}

async function findPlace({ head, remote }: Args, context: ToolContext): Promise<Result<PullRequestPlace>> {
  const opened = await checkRepository(context);
  if (!opened.ok) return opened;
  const { git } = opened.value;
  const address = await git(['remote', 'get-url', '--', remote]);
  if (!address.ok) return refuse({ reason: address.problem, advice: 'Add the remote with git_remote_add.' });
  const repository = parseGithubUrl(address.stdout.trim(), context.env);
  if (repository === null)
    return refuse({ reason: `The remote ${remote} is not on GitHub.`, advice: 'Pull requests can only be opened there.' });
  const current = head ?? (await git(['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout.trim();
  if (!isBranchName(current)) return refuse({ reason: 'No branch is checked out.', advice: 'Name the branch as head.' });
  return accept({ repository, head: current });
}

/** The address of a pull request that is open already; `null` where there is none. */
async function findOpen(
  { owner, name }: GithubRepository,
  head: string,
  base: string,
  context: ToolContext,
): Promise<Result<string | null>> {
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${head}`, base });
  const answer = await askGithub({ method: 'GET', path: `/repos/${owner}/${name}/pulls?${query}` }, context);
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status !== FINE) return refuse(explainGithub(answer.value, context.env));
  return accept(Array.isArray(body) ? (body.map(toUrl).find((url) => url !== null) ?? null) : null);
}

async function create(args: Args, { owner, name }: GithubRepository, head: string, context: ToolContext): Promise<ToolResult> {
  const { title, body, base, draft } = args;
  const answer = await askGithub(
    { method: 'POST', path: `/repos/${owner}/${name}/pulls`, body: { title, body, base, head, draft } },
    context,
  );
  if (!answer.ok) return failWith(answer.refused);
  if (answer.value.status !== CREATED) return failWith(explainGithub(answer.value, context.env));
  const url = toUrl(answer.value.body);
  if (url === null) return fail('GitHub opened the pull request, but does not say where it is.', 'A person has to look.');
  return succeed(`Opened ${draft ? 'the draft ' : ''}${url}`, { url, created: true });
}

function toUrl(body: Json): string | null {
  const url = isJsonObject(body) ? body['html_url'] : undefined;
  return typeof url === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(url) ? url : null;
}
