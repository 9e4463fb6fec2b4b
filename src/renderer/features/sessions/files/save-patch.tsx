import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { call } from '../../../lib/client.ts'
import { saveFile } from '../../../lib/export-table.ts'
import { plural } from '../../../lib/format.ts'
import { notify, notifyFailure } from '../../../lib/notices.ts'

const MORE = ' There may be more files: not all calls were read.'

/** Saves what a session changed as a patch, and says what it leaves out. */
export function SavePatch({ sessionId }: { readonly sessionId: string }) {
  const save = useMutation({
    mutationFn: () => call('files.tree', { session_id: sessionId, patch: true }),
    onSuccess({ items, folder, partial }) {
      const left = items.filter(({ patch }) => patch === null).length
      const patches = items.flatMap(({ patch }) => patch || [])
      const why = 'a text before or after is not recorded, or is of another folder'
      const rest = [
        ...(left > 0 ? [` Left out ${plural(left, 'file')}: ${why}.`] : []),
        ...(partial ? [MORE] : []),
      ].join('')
      if (patches.length === 0) return notify(`Nothing to save.${rest}`, 'warn')
      saveFile(`${sessionId.slice(0, 8)}.patch`, patches.join(''))
      notify(`Saved ${plural(patches.length, 'file')} as a patch for git apply in ${folder ?? 'the project'}.${rest}`)
    },
    onError: notifyFailure,
  })
  return (
    <Button
      size="small"
      title="The changes of this session as a patch for git apply"
      disabled={save.isPending}
      onClick={() => save.mutate()}
    >
      <Download className="size-3.5" aria-hidden /> Save as patch
    </Button>
  )
}
