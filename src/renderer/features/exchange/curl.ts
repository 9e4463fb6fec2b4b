import type { Exchange } from '../../../shared/contract/requests.ts'

/** Headers that curl sets itself, that belong to one connection, or that carry keys. */
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

/** Formats the request as a curl command for a POSIX shell. The key comes from the shell's environment. */
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

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
