"""The API as a user of openapi-python-client sees it."""

import json
import os
from collections.abc import Mapping
from typing import Any, TypeVar

from api import AuthenticatedClient
from api.api.orders import get_order
from api.api.products import (
    create_product,
    list_products,
    update_product,
    write_product_batch,
)
from api.api.transactions import get_transaction
from api.models import (
    ErrorBody,
    OrderSingle,
    Product,
    ProductBatch,
    ProductBatchResultSingle,
    ProductCreate,
    ProductPage,
    ProductSingle,
    ProductUpdate,
    TransactionSingle,
)
from device import AuthenticatedClient as DeviceClient
from device import models as written
from device.api.orders import create_order
from device.api.registers import create_transaction

T = TypeVar("T")

welcome = json.loads(os.environ["CONNECT_WELCOME"])
location = welcome["locations"][0]["id"]
api = AuthenticatedClient(base_url=welcome["baseUrl"], token=welcome["token"])


def screen(kind: str) -> DeviceClient:
    """A client with the key of a screen of this type at the location."""
    keys = [
        screen["key"]
        for screen in welcome["screens"]
        if screen["type"] == kind and screen["locationId"] == location
    ]
    return DeviceClient(base_url=f"{welcome['adminUrl']}/device/v1", token=keys[0])


def expect(kind: type[T], answer: object) -> T:
    """The answer, which has to be of this type."""
    assert isinstance(answer, kind), f"not {kind.__name__}: {answer}"
    return answer


created = create_product.sync(
    location,
    client=api,
    idempotency_key="python-1",
    body=ProductCreate.from_dict(
        {
            "externalId": "PYTHON-1",
            "name": "Rye loaf",
            "description": "Sour,\nand dark",
            "priceCents": 425,
            "vatRate": 9,
            "barcode": "8712345678906",
            "categoryName": "Dark bread",
            "isActive": False,
            "availableFrom": "2026-11-20",
        }
    ),
)
loaf = expect(ProductSingle, created).data

changed = update_product.sync(
    location, loaf.id, client=api, body=ProductUpdate(price_cents=445)
)
before, after = loaf.to_dict(), expect(ProductSingle, changed).data.to_dict()
moved = {field for field in before if before[field] != after[field]}
assert moved == {"priceCents", "updatedAt"}, moved

items: list[Mapping[str, Any]] = [
    {"externalId": "PYTHON-1", "isActive": True},
    {"externalId": "PYTHON-2", "name": "Bun"},
    {"externalId": "PYTHON-3"},
]
batch = write_product_batch.sync(
    location, client=api, body=ProductBatch.from_dict({"items": items})
)
results = expect(ProductBatchResultSingle, batch).data.results
statuses = [result.status for result in results]
assert statuses == ["updated", "created", "failed"], statuses
assert results[2].error and results[2].error.field == "name", results[2]

refused = create_product.sync_detailed(
    location, client=api, body=ProductCreate(name="Bread", price_cents=-1)
)
assert refused.status_code == 422, refused
error = expect(ErrorBody, refused.parsed).error
assert (error.code, error.field) == ("validation_failed", "priceCents"), error

first = expect(
    ProductPage,
    list_products.sync(location, client=api, limit=1, include_deleted=True),
)
assert first.next_cursor
second = expect(
    ProductPage,
    list_products.sync(
        location, client=api, limit=1, include_deleted=True, cursor=first.next_cursor
    ),
)
ids = [product.id for product in first.data + second.data]
assert len(set(ids)) == 2, ids
assert isinstance(first.data[0], Product), first

line = {
    "name": "Bun",
    "quantity": 2,
    "unitPriceCents": 180,
    "totalCents": 360,
    "vatRate": 9,
}
sold = create_transaction.sync(
    client=screen("pos"),
    body=written.TransactionInput.from_dict(
        {
            "type": "sale",
            "totalCents": 360,
            "lines": [line],
            "payments": [{"method": "card", "amountCents": 360}],
        }
    ),
)
row = expect(written.TransactionSingle, sold).data
sale = expect(TransactionSingle, get_transaction.sync(location, row.id, client=api))
assert sale.data.lines[0].total_cents == 360, sale

placed = create_order.sync(
    client=screen("order_kiosk"),
    body=written.OrderInput.from_dict(
        {"fulfilment": "takeaway", "lines": [line], "customerName": "Noor"}
    ),
)
placed_id = expect(written.OrderSingle, placed).data.id
order = expect(OrderSingle, get_order.sync(location, placed_id, client=api))
assert order.data.customer_name == "Noor", order

print("python: create, change, batch, error, pages, sale, order")
