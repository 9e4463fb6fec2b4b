/** The APIs whose requests are recorded and guarded. */
export type ModelApi = 'messages' | 'responses'

/** The part of an API that a path names. */
export interface ApiPath {
  readonly api: ModelApi
  /** The path below the API's own, such as `count_tokens`, without escapes; '' for the API itself. */
  readonly below: string
}

/** Below any path of a gateway that ends in the API's version, or directly below the upstream's own path. */
const API = /^(?:.*\/(?:v1|codex))?\/(messages|responses)(?:\/(.*))?$/is
/** Escapes, parameters, fragments, empty segments and dots: a path without them has only one reading. */
const ODD = /[%;#\\]|\/[/.]/
/** A gateway may remove escapes, and then its upstream again. */
const MAX_DECODINGS = 3

/**
 * Returns the part of an API that a path names, however it is written; null for any other path. Servers may read
 * `/v1/%6dessages`, `//v1/messages` or `/v1/x/../messages` as the same path. This decides which requests are recorded,
 * decoded and guarded; the path is forwarded unchanged. If there are several readings, one that asks for an answer
 * counts.
 */
export function apiPathOf(path: string): ApiPath | null {
  const found = readingsOf(path.split('?', 1)[0] ?? '').flatMap((reading): readonly ApiPath[] => {
    const [, api, below = ''] = API.exec(reading) ?? []
    return api === undefined ? [] : [{ api: api.toLowerCase() === 'messages' ? 'messages' : 'responses', below }]
  })
  return found.find(asksForAnswer) ?? found[0] ?? null
}

/** Returns the API of which a request to a path asks for an answer of a model; null for any other path. */
export function modelApiOf(path: string): ModelApi | null {
  const found = apiPathOf(path)
  return found !== null && asksForAnswer(found) ? found.api : null
}

/** Compactions count: earlier versions of a client requested them at a separate path. */
const asksForAnswer = ({ api, below }: ApiPath): boolean =>
  below === '' || (api === 'responses' && /^compact$/i.test(below))

/** Returns the plain paths that a server may read in a path, depending on what it removes before it resolves dots. */
function readingsOf(path: string): readonly string[] {
  if (!ODD.test(path)) return [path.replace(/\/$/, '')]
  return [path, path.replace(/#.*$/s, ''), decoded(path)].flatMap((text) => [
    resolved(text),
    resolved(text.replaceAll(/[/\\]+/g, '/')),
  ])
}

/** Removes escapes, parameters, empty segments and dots (RFC 3986, section 5.2.4). */
function resolved(path: string): string {
  const segments: string[] = []
  for (const segment of path.split(/[/\\]/).slice(1)) {
    const name = decoded(segment).replace(/[;?#].*$/s, '')
    if (name === '..') segments.pop()
    else if (name !== '.') segments.push(name)
  }
  return segments
    .filter((name) => name !== '')
    .map((name) => `/${name}`)
    .join('')
}

function decoded(text: string): string {
  let plain = text
  for (let round = 0; round < MAX_DECODINGS && plain.includes('%'); round += 1) {
    plain = plain.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  }
  return plain
}
