import { Button } from './button.tsx'

export interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
}

export function LoadMore({ pages, what }: { pages: Paged; what: string }) {
  if (!pages.hasNextPage) return null
  return (
    <div className="flex justify-center border-t border-line p-4">
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        More {what}
      </Button>
    </div>
  )
}
