import { checkExpression, matchDocs } from '../store/read/recall.ts'
import type { DocType } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { isDocKind, type KindFilter } from './filters.ts'
import type { RecallQuery } from './query.ts'
import { addStage, type DocFilter, docStages, type Found, nothingFound, toolStages, typedInTools } from './stages.ts'

interface RunOptions {
  readonly query: string
  readonly types: readonly DocType[]
  readonly tools: boolean
  /** Documents of each list. */
  readonly candidates: number
}

/** A search for quotations alone is one for phrases. */
const hasPhrase = ({ stages }: Found, { terms }: RecallQuery): boolean =>
  stages.some(({ by, matches }) => (by === 'phrase' || terms.length === 0) && matches.length > 0)

/** Checks whether a text looks like a command, a path or code rather than a sentence. */
const isCode = (text: string): boolean =>
  /(?:^|\s)--?[a-z]|[\w.-]\/[\w.-]|[{}();=|&<>$`\\]|\w\(|\.\w{1,4}(?::\d+|\b)|::|=>/i.test(text)

/** Runs a raw FTS5 expression. */
export function rawStages(reader: Reader, options: RunOptions, filter: DocFilter): Found {
  const found = nothingFound()
  checkExpression(reader, options.query)
  if (options.types.length > 0) {
    // Restricted to the text itself: the neighbours' column would match texts without the words.
    const own = `{text parts} : (${options.query})`
    addStage(found, 'raw', matchDocs(reader, own, filter, options.candidates))
  }
  return found
}

/** Runs the lists of a parsed query: of texts, of tool traffic if asked for, and of what was pasted. */
export function plainStages(reader: Reader, query: RecallQuery, options: RunOptions, filter: DocFilter): Found {
  const isExcluded = (kind: KindFilter) => query.not.kinds?.includes(kind) === true
  const kinds = query.kinds.length > 0 ? query.kinds.filter(isDocKind) : options.types
  const docTypes = kinds.some((kind) => !isExcluded(kind))
  const found = nothingFound()
  const { candidates } = options
  const onlyTools = filter.tool !== null || (query.kinds.length > 0 && query.kinds.every((kind) => kind === 'tool'))
  if (docTypes && !onlyTools) docStages(reader, query, filter, candidates, found)
  if (isExcluded('tool')) return found
  const tools = nothingFound()
  if (query.kinds.length > 0 ? query.kinds.includes('tool') : options.tools || onlyTools)
    toolStages(reader, query, filter, candidates, tools)
  // A command occurs in tool traffic, and elsewhere only if somebody wrote about it.
  else if (docTypes && !hasPhrase(found, query) && isCode(query.typed))
    typedInTools(reader, query, filter, candidates, tools)
  return {
    ...found,
    stages: [...found.stages, ...tools.stages],
    total: found.total + tools.total,
    isAbout: found.isAbout || tools.isAbout,
    partial: found.partial || tools.partial,
    hasTools: tools.stages.some(({ matches }) => matches.length > 0),
  }
}
