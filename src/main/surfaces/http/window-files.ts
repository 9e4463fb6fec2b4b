import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'
import { VIEWS } from '../../../shared/views.ts'
import { typedCommand } from '../../base/typed-command.ts'

/** Lets the window load only its own files and the app's API. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Charts and virtual lists position elements with style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.map': 'application/json; charset=utf-8',
}

export interface WindowFile {
  readonly status: 200 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

/** Commands that the page shows: what to type for `aspy` with this app's folder, and what starts the app again. */
export interface WindowCommands {
  readonly aspy: string
  readonly start: string
}

interface Reading {
  readonly commands?: WindowCommands | undefined
  /** Returns the page, with status 404, for an address that does not exist. */
  readonly isForPeople?: boolean
}

/**
 * Reads a file of the built window within `root`. The address of a view gives the page itself, with the commands that it
 * shows; any other missing file gives null.
 */
export async function readWindowFile(
  root: string,
  pathname: string,
  { commands = { aspy: typedCommand(), start: '' }, isForPeople = false }: Reading = {},
): Promise<WindowFile | null> {
  const path = decodePath(pathname)
  if (path === null) return null
  const isKnown = path === '/' || VIEWS.includes(path.split('/')[1] ?? '')
  const isPage = isKnown || (isForPeople && extname(path) === '')
  const file = isPage ? join(root, 'index.html') : containedPath(root, path)
  const type = file === null ? undefined : TYPES[extname(file)]
  const body = file === null || type === undefined ? null : await readFileIfThere(file)
  if (body === null || type === undefined) return null
  return {
    status: isPage && !isKnown ? 404 : 200,
    headers: headersFor(type, path.startsWith('/assets/')),
    body: isPage ? withCommands(body, commands) : body,
  }
}

/**
 * Embeds the commands that run `aspy` and restart the app on this machine, which the page shows when the app does not
 * answer.
 */
function withCommands(page: Uint8Array, commands: WindowCommands): Uint8Array<ArrayBuffer> {
  const html = new TextDecoder().decode(page)
  return new TextEncoder().encode(withMeta(withMeta(html, 'command', commands.aspy), 'start', commands.start))
}

function withMeta(html: string, name: string, content: string): string {
  const attribute = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const start = `<meta name="aspy-${name}" content="`
  return html.replace(new RegExp(`${start}[^"]*"`), () => `${start}${attribute}"`)
}

function decodePath(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname)
    return path.includes('\0') ? null : path
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function containedPath(root: string, path: string): string | null {
  const base = resolve(root)
  const file = resolve(base, `.${sep}${path}`)
  return file.startsWith(base + sep) ? file : null
}

async function readFileIfThere(file: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null
    throw error
  }
}

/** Files under /assets have a hash in their names, so they can be cached forever. */
function headersFor(type: string, isImmutable: boolean): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  }
}
