import type { Exchange } from '../../../shared/contract/requests.ts'

/** Headers that curl makes itself, or that belong to one connection. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'accept-encoding',
  'transfer-encoding',
  'x-api-key',
  'authorization',
  'cookie',
])

/** The request as a command for a POSIX shell. It holds no key: the shell puts in the one of its environment. */
export function asCurl(exchange: Exchange): string {
  const headers = exchange.headers.filter(
    ([name, value]) => !LEFT_OUT.has(name.toLowerCase()) && !value.includes('[redacted'),
  )
  return [
    `curl ${quoted(`https://api.anthropic.com${exchange.path}`)}`,
    `-X ${quoted(exchange.method)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    '-H "x-api-key: $ANTHROPIC_API_KEY"',
    ...(exchange.body === null ? [] : [`--data-raw ${quoted(JSON.stringify(exchange.body))}`]),
  ].join(' \\\n  ')
}

/** In single quotes nothing means anything to the shell but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
