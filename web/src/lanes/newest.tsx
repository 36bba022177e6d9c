// Live: the way back from what was opened to what is new.

import { openNewest, useApp } from "../app";
import { usePart } from "../observable";

/** Opens each pause as it comes, until someone opens one. */
export function Newest() {
  const app = useApp();
  const isNewest = usePart(app.view, (it) => it.isNewest);
  return (
    <button type="button" id="newest" disabled={isNewest} onClick={() => openNewest(app)}>
      newest
    </button>
  );
}
