import type { Exchange } from '../../../shared/contract/requests.ts'
import { publicApi } from '../../../shared/vendors.ts'

/** Headers that curl sets itself, that belong to the connection or to the body's encoding, or that contain keys. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-encoding',
  'upgrade',
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
    ([name, value]) =>
      !LEFT_OUT.has(name.toLowerCase()) &&
      !name.toLowerCase().startsWith('sec-websocket-') &&
      !value.includes('[redacted'),
  )
  const { url, keyHeader } = publicApi(exchange.path)
  return [
    `curl ${quoted(url)}`,
    // A message on a WebSocket is the body of the same request over HTTP.
    `-X ${quoted(isMessage(exchange) ? 'POST' : exchange.method)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-H "${keyHeader}"`,
    ...(exchange.body === null ? [] : [`--data-raw ${quoted(JSON.stringify(exchange.body))}`]),
  ].join(' \\\n  ')
}

const isMessage = ({ headers, body }: Exchange): boolean =>
  body !== null && headers.some(([name]) => name.toLowerCase() === 'upgrade')

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
