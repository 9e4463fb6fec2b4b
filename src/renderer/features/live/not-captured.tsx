import { AspyCommand } from '../../components/command-line.tsx'
import { projectName } from '../../lib/format.ts'
import { useOperation } from '../../lib/operation.ts'

/** Sessions on this machine that do not go through Aspy, with the command to capture the next one. */
export function NotCaptured({ shown }: { readonly shown: ReadonlySet<string> }) {
  const { data } = useOperation('transcripts.running', {})
  const others = (data?.items ?? []).filter(({ captured, session_id }) => !captured && !shown.has(session_id))
  if (others.length === 0) return null
  return (
    <li className="rounded-medium border border-dashed p-3.5 text-small">
      <p className="font-medium">Running outside Aspy</p>
      <ul className="mt-1 mb-2 text-soft">
        {others.map(({ session_id, project }) => (
          <li key={session_id} title={session_id}>
            {projectName(project)}
          </li>
        ))}
      </ul>
      <AspyCommand args="run -- claude" />
    </li>
  )
}
