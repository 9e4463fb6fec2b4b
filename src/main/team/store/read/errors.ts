import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { unsupported, visible, type Owned, type ReadContext } from './scope.ts'

interface ErrorRow extends Owned {
  readonly id: number
  readonly uuid: string
  readonly turn_id: number
  readonly ts: Date
  readonly kind: string
  readonly tool_name: string | null
  readonly error_message: string | null
  readonly payload: Readonly<Record<string, unknown>>
}

/** Errors and, on request, failed tool calls, newest first. Messages are those of events that were sent in full. */
export async function listErrors(
  context: ReadContext,
  input: ParsedInput<'errors.list'>,
): Promise<OperationOutput<'errors.list'>> {
  const { sql } = context
  if (input.query !== undefined || input.client !== undefined) throw unsupported('errors by words or client')
  const offset = offsetOf(input.cursor)
  const rows = await sql<
    ErrorRow[]
  >`SELECT e.id::float8 AS id, e.uuid, e.member_id, e.session_id, e.turn_id, e.ts, e.kind, e.tool_name,
      e.error_message, e.payload
    FROM events e WHERE ${visible(context, 'e')}
      AND (e.kind = 'error' OR (${input.tools} AND e.kind = 'tool_result' AND e.outcome = 'failed'))
      AND ${input.session_id === undefined ? sql`TRUE` : sql`e.session_id = ${input.session_id}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
      AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}
      AND ${input.until === undefined ? sql`TRUE` : sql`e.ts <= ${input.until}`}
    ORDER BY e.ts DESC, e.id DESC LIMIT ${input.limit + 1} OFFSET ${offset}`
  const shown = rows.slice(0, input.limit)
  await context.note('errors.list', shown)
  return { items: shown.map(toError), next: cursorOf(rows.length > input.limit, offset + input.limit) }
}

function toError({ id, uuid, session_id, turn_id, ts, kind, tool_name, error_message, payload }: ErrorRow) {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : null)
  const isTool = kind === 'tool_result'
  return {
    id,
    uuid,
    session_id,
    turn_id,
    timestamp: ts.toISOString(),
    origin: isTool ? 'tool' : (text('origin') ?? 'unknown'),
    type: isTool ? tool_name : text('type'),
    status: typeof payload['status'] === 'number' ? payload['status'] : null,
    content: error_message ?? text('message') ?? text('output') ?? '',
  }
}
