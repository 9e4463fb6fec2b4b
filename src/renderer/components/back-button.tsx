import { useCanGoBack, useRouter } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { Button } from './button.tsx'

/** Leads back to the view that one came from; `to` if the window was opened here. */
export function BackButton({ to }: { readonly to: '/costs' }) {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return (
    <Button look="ghost" onClick={() => (canGoBack ? router.history.back() : void router.navigate({ to }))}>
      <ArrowLeft className="size-4" aria-hidden /> Back
    </Button>
  )
}
