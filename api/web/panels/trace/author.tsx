import type { Author } from '../../../../shared/contract/configuration/tenant.ts'
import { ForeignText } from '../../ui/text.tsx'

export function AuthorName({ author }: { author: Author }) {
  if ('source' in author)
    return (
      <span>
        start-up: <ForeignText text={author.source} />
      </span>
    )
  if (author.scope === 'owner') return <ForeignText text={author.name} />
  return (
    <span>
      <ForeignText text={author.name} />{' '}
      <span className="text-soft">({author.scope.replace('_', ' ')} key)</span>
    </span>
  )
}
