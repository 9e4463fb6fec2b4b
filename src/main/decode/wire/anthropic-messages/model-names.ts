/** A region of Bedrock, the name of a host and the like before the model's own name. */
const HOST = /^(?:.*[-.])?(?=claude-)/
/** Bedrock's revision (`-v1:0`, `-v2@20241022`), a release date, `-latest`, `@default`, a relay's variant (`:thinking`, `-thinking`). */
const RELEASE =
  /(?:-latest)?(?:-v\d{1,3}@\d{8}|[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|@(?:latest|default))?(?:-v\d{1,3}(?::\d{1,3})?)?(?::\d+k)?(?:-thinking|:[a-z][\w-]*)?$/
/** Names from before models had families. */
const OLDEST: { readonly [name: string]: string } = {
  'claude-v2': 'claude-2-0',
  'claude-v2:0': 'claude-2-0',
  'claude-v2:1': 'claude-2-1',
  'claude-2': 'claude-2-0',
  'claude-instant': 'claude-instant-1-2',
  'claude-instant-1': 'claude-instant-1-2',
  'claude-instant-v1': 'claude-instant-1-2',
}

/**
 * Returns today's spellings of a model's name, as Claude Code 2.1.332 resolves it (`canonicalModel`): the name of any host
 * or relay, with dots for dashes, the words in their older order, or without the `-0` of a version of one number.
 */
export function modelSpellings(model: string): readonly string[] {
  const own = model.toLowerCase().replace(HOST, '')
  if (!own.startsWith('claude-')) return []
  const oldest = (name: string) => (Object.hasOwn(OLDEST, name) ? OLDEST[name] : undefined)
  const name = oldest(own.replace(/:\d+k$/, '')) ?? dashed(own).replace(RELEASE, '')
  const turned = oldest(name) ?? name.replace(/^claude-(\d+(?:-\d+)?)-([a-z]+)$/, 'claude-$2-$1')
  return /^claude-[a-z]+-\d+$/.test(turned) ? [turned, `${turned}-0`] : [turned]
}

const dashed = (model: string): string => model.replaceAll(/(claude-(?:[a-z]+-)?\d{1,2})\.(?=\d)/g, '$1-')
