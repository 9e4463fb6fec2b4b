import { useQuery } from '@tanstack/react-query'
import { Select } from '../../../components/select.tsx'
import { clientsQuery } from '../queries.ts'

interface ClientSelectProps {
  readonly value: string | undefined
  readonly onChange: (client: string | undefined) => void
}

/** A filter by client. Renders nothing while there is only one to choose. */
export function ClientSelect({ value, onChange }: ClientSelectProps) {
  const known = useQuery(clientsQuery).data ?? []
  const clients = value === undefined || known.includes(value) ? known : [...known, value]
  if (clients.length < 2 && value === undefined) return null
  return (
    <Select
      label="Client"
      value={value ?? ''}
      onChange={(client) => onChange(client === '' ? undefined : client)}
      options={[['', 'All clients'], ...clients.map((client) => [client, client] as const)]}
    />
  )
}
