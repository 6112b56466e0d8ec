import type { CatalogRevision } from '../../../../shared/contract/configuration/catalog.ts'
import { CatalogView } from '../../panels/catalog-view.tsx'
import { RevisionFacts } from '../../panels/diff/revision-facts.tsx'
import { ForeignJson } from '../../panels/json/foreign-json.tsx'
import { Pencil } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'

export function CatalogInForce({ state, onEdit }: { state: CatalogRevision; onEdit: (() => void) | null }) {
  const { catalog, catalog_hash, ...meta } = state
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card
        title="Reviewed operations"
        hint="With a catalog, an operation that is not in it is denied."
        actions={
          onEdit && (
            <Button size="small" onClick={onEdit}>
              <Pencil className="size-4" aria-hidden /> Edit
            </Button>
          )
        }
      >
        <CatalogView catalog={catalog} />
      </Card>
      <Card title="This revision">
        <RevisionFacts meta={{ ...meta, hash: catalog_hash }} />
      </Card>
      <Card title="As JSON" className="lg:col-span-2">
        <ForeignJson value={catalog} label="Catalog in force" />
      </Card>
    </div>
  )
}
