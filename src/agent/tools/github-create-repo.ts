import { z } from 'zod';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import { defineTool, fail, failWith, succeed } from '../tool/tool.ts';
import { askGithub, explainGithub, isRepositoryName, whyNoGithub } from './git/github-api.ts';

const CREATED = 201;

const parameters = z.strictObject({
  name: z.string().refine(isRepositoryName, 'is no name of a repository: letters, digits, ., - and _').describe('Name of the repository.'),
  private: z.boolean().default(true).describe('Only its owner sees it; default: true.'),
  description: z.string().max(350).optional().describe('One line about it.'),
});

type Args = z.infer<typeof parameters>;

export const githubCreateRepoTool = defineTool<Args>({
  name: 'github_create_repo',
  group: 'github',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  description: 'Creates an empty repository on GitHub for the account of the token. Add it with git_remote_add, then push.',
  parameters,
  whyMissing: whyNoGithub,
  run: async ({ name, private: isPrivate, description }, context) => {
    const body = { name, private: isPrivate, ...(description !== undefined && { description }) };
    const answer = await askGithub({ method: 'POST', path: '/user/repos', body }, context);
    if (!answer.ok) return failWith(answer.refused);
    if (answer.value.status !== CREATED) return failWith(explainGithub(answer.value, context.env));
    const url = toText(answer.value.body, 'html_url');
    const address = toText(answer.value.body, 'clone_url');
    if (url === '') return fail('GitHub created the repository, but does not say where it is.', 'A person has to look.');
    return succeed(`Created ${url} (${isPrivate ? 'private' : 'public'}). Its address for git_remote_add: ${address}`, { url });
  },
});

function toText(body: Json, key: string): string {
  const value = isJsonObject(body) ? body[key] : undefined;
  return typeof value === 'string' ? value : '';
}
