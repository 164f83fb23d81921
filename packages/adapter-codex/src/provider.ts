import path from 'node:path';

import type { CliOptions, Probe } from '@devflow/core/adapter';

/** A model provider that is not Codex's own and has a login of its own. */
interface OwnProvider {
  readonly id: string;
  /** The variable that holds its key. */
  readonly keyFrom?: string;
}

/**
 * The model provider that the user chose, if not OpenAI's. Codex has no command that tells it without
 * calling somebody, so its configuration is read, as far as lines of the plain form go: what is written
 * in another way is not found, and the login is asked for as if there were none.
 */
export async function ownProvider(
  probe: Probe,
  { args }: CliOptions,
): Promise<OwnProvider | undefined> {
  if (args.includes('--oss')) return { id: 'oss' };
  const home = probe.env['CODEX_HOME'] ?? path.join(probe.env['HOME'] ?? '/', '.codex');
  const profile = profileIn(args);
  const files = ['config.toml', ...(profile === undefined ? [] : [`${profile}.config.toml`])];
  const texts = await Promise.all(files.map((name) => read(probe, path.join(home, name))));
  const settings = args.map((arg) => arg.replace(/^(?:-c|--config=)/, ''));
  const id =
    settings.flatMap((setting) => value(setting, 'model_provider') ?? []).at(-1) ??
    texts.flatMap((text) => value(rootOf(text), 'model_provider') ?? []).at(-1);
  if (id === undefined || id === 'openai') return undefined;
  const sections = [
    ...texts.map((text) => sectionOf(text, id)),
    ...settings.filter((setting) => setting.startsWith(`model_providers.${id}`)),
  ].join('\n');
  if (/\brequires_openai_auth\s*=\s*true\b/.test(sections)) return undefined;
  const keyFrom = /\benv_key\s*=\s*["']([^"'\n]+)["']/.exec(sections)?.[1];
  return { id, ...(keyFrom !== undefined && { keyFrom }) };
}

function profileIn(args: readonly string[]): string | undefined {
  const named = args.flatMap((arg, index) => {
    if (arg === '-p' || arg === '--profile') return args[index + 1] ?? [];
    return /^(?:-p|--profile=)(.+)$/.exec(arg)?.[1] ?? [];
  });
  return named.at(-1);
}

async function read(probe: Probe, file: string): Promise<string> {
  const { status, stdout } = await probe.ask('cat', [file]);
  return status === 0 ? stdout : ''; // There need not be one.
}

function value(text: string, key: string): string | undefined {
  return new RegExp(`^\\s*${key}\\s*=\\s*(["']?)([\\w.-]+)\\1`, 'm').exec(text)?.[2];
}

/** The keys before the first section. */
function rootOf(text: string): string {
  return text.split(/^\s*\[/m, 1)[0] ?? '';
}

function sectionOf(text: string, id: string): string {
  const sections = text.split(/^\s*\[/m).slice(1);
  const names = [`model_providers.${id}]`, `model_providers."${id}"]`];
  return sections.find((section) => names.some((name) => section.startsWith(name))) ?? '';
}
