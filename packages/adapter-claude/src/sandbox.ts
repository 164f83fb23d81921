import type { ExecRequest, SandboxNeeds } from '@devflow/core/adapter';

/** Where the vendor's own API is, and where the login of a subscription is renewed. */
const VENDOR_HOSTS = ['api.anthropic.com', 'platform.claude.com'];

/** What the agent writes beside the checkout, and whom it calls. */
export function sandboxNeeds(
  { mcp = {} }: ExecRequest,
  env: Readonly<Record<string, string>>,
): SandboxNeeds {
  const gateway = hostOf(env['ANTHROPIC_BASE_URL']);
  const servers = Object.values(mcp).map((server) =>
    hostOf('url' in server ? server.url : undefined),
  );
  const hosts = [...(gateway === undefined ? VENDOR_HOSTS : [gateway]), ...servers];
  return { write: places(env), hosts: [...new Set(hosts)].filter((host) => host !== undefined) };
}

/** Where sessions, settings and the login are. With a directory of its own, all of it is in there. */
function places({ CLAUDE_CONFIG_DIR, HOME }: Readonly<Record<string, string>>): string[] {
  if (CLAUDE_CONFIG_DIR) return [CLAUDE_CONFIG_DIR];
  return HOME ? [`${HOME}/.claude`, `${HOME}/.claude.json`] : [];
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
